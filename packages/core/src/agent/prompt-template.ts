import { templateListBytesMax } from '../text/bounds.ts';
import { byteLength } from '../text/cut.ts';

/** What the prompt of an agent from git may have put in, written `{{agent_name}}`. */
export const templateVariables = [
  'agent_name',
  'agent_description',
  'prompt',
  'available_tools',
  'allowed_agents',
] as const;
export type TemplateVariable = (typeof templateVariables)[number];

/** A variable, or a placeholder of session state (see `resolvePrompt`); the first is not taken for the second in more braces. */
const slot = /\{\{[ \t]*(\w+)[ \t]*\}\}|\{(\w+)\}/g;

/**
 * A prompt with each variable replaced wherever it stands, and so each placeholder for which `boundTo` has a text. Once: what is put in
 * is not looked at again. What nobody knows stays as it is written.
 */
export function expandTemplate(
  template: string,
  values: Readonly<Record<TemplateVariable, string>>,
  boundTo: (key: string) => string | undefined = () => undefined,
): string {
  return template.replace(slot, (whole: string, variable: string | undefined, key: string | undefined) => {
    if (variable !== undefined) return isVariable(variable) ? values[variable] : whole;
    return boundTo(key ?? '') ?? whole;
  });
}

/** The names in double braces that are no variables, and where each stands in the template. */
export function unknownVariablesIn(template: string): { readonly name: string; readonly offset: number }[] {
  return [...template.matchAll(slot)].flatMap(({ 1: name, index }) =>
    name === undefined || isVariable(name) ? [] : [{ name, offset: index }],
  );
}

function isVariable(name: string): name is TemplateVariable {
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
