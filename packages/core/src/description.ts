import { descriptionBytesMax } from './bounds.ts';
import { cutText } from './cut.ts';
import { type Json, parseJson } from './json.ts';
import { messageOfDelegation } from './remote-agent.ts';
import { visibleText } from './visible.ts';

/**
 * What an approver is shown of a call: made from the exact arguments, deceptive characters made visible, at most 16 KiB
 * with a mark where it was cut. Of a delegation: the agent, and what is sent to it.
 */
export function describeCall(tool: string, argumentsJson: string, agent = ''): string {
  const parsed = parseJson(argumentsJson);
  if (agent !== '')
    return bounded(
      `**DELEGATE to A2A Agent: ${agent}**\n\nMessage: ${messageOfDelegation(argumentsJson) ?? argumentsJson}`,
    );
  return bounded(
    knownDescription(tool, parsed) ?? `**${tool.toUpperCase()}**\n\nArgs: ${indented(parsed, argumentsJson)}`,
  );
}

/** What an approver is shown of a call whose outcome is unknown. */
export function describeDoubt(tool: string, argumentsJson: string, reason: string, agent = ''): string {
  return bounded(
    `**IN DOUBT: ${tool.toUpperCase()}**\n\nThis call was started and nobody can tell whether it took effect: ${reason}\n\n` +
      `${describeCall(tool, argumentsJson, agent)}\n\nChoose run_again, happened (with the result, if you know it) or give_up.`,
  );
}

/** What an agent shows of its question. */
type ShownQuestion = {
  readonly agent: string;
  /** Below that agent, the innermost last. */
  readonly agents: readonly string[];
  readonly prompt: string;
  readonly tool: string;
  readonly argumentsJson: string;
  readonly choices: readonly string[];
};

/**
 * What an approver is shown of a question of another agent: who asks, over whom, and the call that it is about, made from its
 * arguments as they were shown; the agent's own words where they say more.
 */
export function describeQuestion({ agent, agents, prompt, tool, argumentsJson, choices }: ShownQuestion): string {
  const head = `**PROXY APPROVAL — A2A Agent: ${line(agent)}**`;
  const chain = agents.length === 0 ? '' : `\n\nAgents: ${[agent, ...agents].map(line).join(' → ')}`;
  const call = argumentsJson === '' ? '' : describeCall(tool, argumentsJson);
  const says = prompt.trim() === '' ? 'It does not say what for.' : prompt;
  const isAllSaid = call !== '' && visibleText(prompt).includes(call) && !choices.includes('run_again');
  const words = call === '' || isAllSaid || prompt.trim() === '' ? '' : `\n\nThe agent says: ${says}`;
  return bounded(`${head}${chain}\n\n${call === '' ? says : `${call}${words}`}`);
}

/** A name may not pretend to be more than that. */
function line(name: string): string {
  return name.replace(/\s+/g, ' ');
}

function bounded(text: string): string {
  return cutText(visibleText(text), descriptionBytesMax).text;
}

function knownDescription(tool: string, args: Json | undefined): string | undefined {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return undefined;
  const fields = args as { readonly [key: string]: Json };
  const names = Object.keys(fields).sort().join();
  if (tool === 'resources_add' && names === 'name,value')
    return `**ADD Resource**\n\nName: ${shown(fields.name)}\nValue: ${shown(fields.value)}`;
  if (tool === 'resources_remove' && names === 'id') return `**REMOVE Resource**\n\nID: ${shown(fields.id)}`;
  if (tool === 'resources_remove' && names === 'pattern')
    return `**REMOVE Resources**\n\nPattern: ${shown(fields.pattern)}\n\n⚠️ This will remove ALL resources matching this pattern!`;
  return undefined;
}

/** A text with line breaks is quoted: it could pretend to be the next line of the description. */
function shown(value: Json | undefined): string {
  return typeof value === 'string' && !value.includes('\n') ? value : JSON.stringify(value);
}

function indented(parsed: Json | undefined, text: string): string {
  return parsed === undefined ? text : JSON.stringify(parsed, null, 2);
}
