import { templateListBytesMax } from '../text/bounds.ts';
import { byteLength } from '../text/cut.ts';

/** What the prompt of an agent may have put in, written `{{agent_name}}`; `prompt` is its task. */
export const templateVariables = [
  'agent_name',
  'agent_description',
  'prompt',
  'available_tools',
  'allowed_agents',
] as const;

/** What the variables of an agent's prompt stand for. */
export type TemplateValues = Readonly<Record<(typeof templateVariables)[number], string>>;

/** A variable, or a placeholder of session state (see `resolvePrompt`); the first is not taken for the second in more braces. */
const slot = /\{\{[ \t]*(\w+)[ \t]*\}\}|\{(\w+)\}/g;

/**
 * A prompt with its variables replaced, each wherever it stands, and its placeholders. Once: what was put in is not looked at again. What
 * nobody knows stays as it is written. `placed`: what a placeholder stands for, undefined if it stays.
 */
export function expandTemplate(
  template: string,
  values: TemplateValues,
  placed: (key: string) => string | undefined = () => undefined,
): string {
  return template.replaceAll(slot, (whole: string, variable: string | undefined, key: string) => {
    if (variable !== undefined) return isVariable(variable) ? values[variable] : whole;
    return placed(key) ?? whole;
  });
}

/** A prompt without what stands in double braces: what is left has placeholders. */
export function withoutVariables(template: string): string {
  return template.replaceAll(slot, (whole: string, variable: string | undefined) =>
    variable === undefined ? whole : '',
  );
}

/** The names in double braces that are no variables, and where each stands in the template. */
export function unknownVariablesIn(template: string): { readonly name: string; readonly offset: number }[] {
  return [...template.matchAll(slot)].flatMap(({ 1: name, index }) =>
    name === undefined || isVariable(name) ? [] : [{ name, offset: index }],
  );
}

function isVariable(name: string): name is keyof TemplateValues {
  return templateVariables.some((known) => known === name);
}

/** An agent that another one may call, as that one is told of it. */
export type CallableAgent = {
  readonly name: string;
  readonly description: string;
  readonly examples: readonly string[];
  /** It is reached over A2A, outside of the platform. */
  readonly isExternal: boolean;
};

/** What stands for `{{allowed_agents}}`, within a bound: what does not fit is counted. Empty: none may be called. */
export function agentsInPrompt(agents: readonly CallableAgent[]): string {
  return listed(
    agents.map(({ name, description, examples, isExternal }) => {
      const told = examples.join(', ') || 'General tasks';
      return `- **${name}${isExternal ? ' (external)' : ''}**: ${description}\n  Examples: ${told}`;
    }),
  );
}

/** What stands for `{{available_tools}}`, within a bound: what does not fit is counted. */
export function toolsInPrompt(tools: readonly { readonly name: string; readonly description: string }[]): string {
  return listed(tools.map(({ name, description }) => `- **${name}**: ${description}`));
}

/** Entries one below the other. One that does not fit any more is left out, and so are those after it. */
function listed(entries: readonly string[]): string {
  let bytes = 0;
  const fitting = entries.findIndex((entry) => {
    bytes += byteLength(entry) + 1;
    return bytes > templateListBytesMax;
  });
  if (fitting < 0) return entries.join('\n');
  return [...entries.slice(0, fitting), `- and ${entries.length - fitting} more`].join('\n');
}
