/** What the variables of an agent's prompt stand for. */
export type TemplateValues = {
  readonly agent_name: string;
  readonly agent_description: string;
  /** Its task. */
  readonly prompt: string;
  readonly available_tools: string;
  readonly allowed_agents: string;
};

const names = 'agent_name|agent_description|prompt|available_tools|allowed_agents';
const variable = new RegExp(`\\{\\{(${names})\\}\\}`, 'g');
const either = new RegExp(`\\{\\{(${names})\\}\\}|\\{(\\w+)\\}`, 'g');

/**
 * A prompt with its variables replaced, each wherever it stands, and its placeholders (see `resolvePrompt`). What was put in is not
 * looked at again; `placed`: what a placeholder stands for, undefined if it stays as it is written.
 */
export function expandTemplate(
  template: string,
  values: TemplateValues,
  placed: (key: string) => string | undefined = () => undefined,
): string {
  return template.replaceAll(either, (whole, name: keyof TemplateValues | undefined, key: string) =>
    name === undefined ? (placed(key) ?? whole) : values[name],
  );
}

/** A prompt without its variables: what is left has placeholders. */
export function withoutVariables(template: string): string {
  return template.replaceAll(variable, '');
}
