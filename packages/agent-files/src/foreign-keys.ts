import { filledText, list, mapping, nameText, wholeNumber } from '@stopgo/runtime/yaml';
import { z } from 'zod';
import { descriptionCharactersMax, entriesMax, turnsMax } from './bounds.ts';

/*
 * The keys of agents that were written for other programs, as far as they mean something here. The rest is read over; what of it would have
 * held the agent back is told of.
 */

const description = filledText().refine(
  (value) => value.length <= descriptionCharactersMax,
  `must not be longer than ${descriptionCharactersMax} characters`,
);

/** A list, or a text with commas. */
const names = z.preprocess(
  (value) => (typeof value === 'string' ? partedAtCommas(value) : value),
  list(filledText()).refine((all) => all.length <= entriesMax, `must not have more than ${entriesMax} entries`),
);

/** Commas inside of brackets part nothing: `Bash(git add, git commit)`. */
function partedAtCommas(value: string): string[] {
  return value
    .split(/,(?![^(]*\))/)
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

const model = z.preprocess((value) => (Array.isArray(value) ? value[0] : value), filledText().optional());

/** Claude Code, `.claude/agents/*.md`. */
export const claudeKeys = mapping({
  name: nameText(),
  description,
  tools: names.optional(),
  disallowedTools: names.optional(),
  model,
  maxTurns: wholeNumber(1, turnsMax).optional(),
}).strip();

/** GitHub Copilot and its editors, `.github/agents/*.agent.md`. */
export const githubKeys = mapping({
  name: nameText().optional(),
  description,
  tools: names.optional(),
  agents: names.optional(),
  model,
}).strip();

/** Keys that would hold an agent back, or give it more, and do nothing here. */
export const withoutEffect: Readonly<Record<'claude' | 'github', Readonly<Record<string, string>>>> = {
  claude: {
    permissionMode: 'what people are asked is said by the rules of the platform',
    hooks: 'no program of a repository is run',
    mcpServers: 'tool servers are a part of the configuration of the platform',
    skills: 'write what the agent has to know in its prompt',
    isolation: 'tools run where their servers are',
  },
  github: {
    'mcp-servers': 'tool servers are a part of the configuration of the platform',
    'disable-model-invocation': 'who may call it is said by allowedAgents of the others',
    'user-invocable': 'who may start it is said by the platform',
    handoffs: 'name the agents that it may call in agents',
  },
};
