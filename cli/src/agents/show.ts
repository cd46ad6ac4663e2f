import { type AgentFile, defineAgentFile, printAgentFile, problemLine } from '@stopgo/agent-files';
import { defineAgent, suggest, visibleJson, visibleText } from '@stopgo/core';
import { oneLine } from '../shown.ts';
import { namedRoot, readTree, shownPath } from './working-tree.ts';

/** What is shown for the model of an agent that names none. */
const usualModel = '';

/**
 * `stopgo agents show`: an agent of a working tree as a file of our format, or as it is recorded.
 * @throws Error if there is no agent of this name, or its file has problems.
 */
export function showAgent(name: string, folder: string, json: boolean, print: (line: string) => void): void {
  const root = namedRoot(folder);
  const { agents, problems } = readTree(root, [root]);
  const found = agents.get(name);
  const { agent } = found?.reading ?? {};
  if (agent === undefined) {
    const own = problems.filter(({ path }) => path === found?.path);
    if (own.length > 0) {
      const lines = own.map((one) => oneLine(problemLine({ ...one, path: shownPath(root, one.path) })));
      throw new Error(`the agent ${oneLine(name)} cannot be read:\n${lines.join('\n')}`);
    }
    const meant = suggest(name, [...agents.keys()]);
    const hint = meant === undefined ? '`stopgo agents list` names all of them' : `did you mean "${oneLine(meant)}"?`;
    throw new Error(`there is no agent "${oneLine(name)}" in ${oneLine(folder)}; ${hint}`);
  }
  print(json ? recorded(root, agent) : visibleText(printAgentFile(agent)).trimEnd());
}

function recorded(root: string, agent: AgentFile): string {
  const definition = defineAgentFile(agent, { model: usualModel });
  const { digest } = defineAgent(definition);
  return visibleJson(JSON.stringify({ path: shownPath(root, agent.path), digest, definition }, undefined, 2));
}
