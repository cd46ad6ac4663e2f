import { descriptionBytesMax } from './bounds.ts';
import { byteLength, cutMiddle } from './cut.ts';
import { maybeRounded } from './exact-json.ts';
import { type Json, parseJson } from './json.ts';
import { messageOfDelegation } from './remote-agent.ts';
import { quotedLines, quotedName, visibleText } from './visible.ts';

/**
 * What an approver is shown of a call: made from the exact arguments, deceptive characters made visible, names that are more than
 * plain words quoted, at most 16 KiB: of a longer one the head and the tail, with a mark between. Of a delegation: the agent, and
 * what is sent to it.
 */
export function describeCall(tool: string, argumentsJson: string, agent = ''): string {
  return bounded(wholeCall(tool, argumentsJson, agent));
}

function wholeCall(tool: string, argumentsJson: string, agent = ''): string {
  const parsed = parseJson(argumentsJson);
  if (agent !== '')
    return `**DELEGATE to A2A Agent: ${quotedName(agent)}**\n\nMessage: ${spoken(messageOfDelegation(argumentsJson) ?? argumentsJson)}`;
  return knownDescription(tool, parsed) ?? `**${heading(tool)}**\n\nArgs: ${indented(parsed, argumentsJson)}`;
}

/** What an approver is shown of a call whose outcome is unknown. */
export function describeDoubt(tool: string, argumentsJson: string, reason: string, agent = ''): string {
  return bounded(
    `**IN DOUBT: ${heading(tool)}**\n\nThis call was started and nobody can tell whether it took effect: ${spoken(reason)}\n\n` +
      `${wholeCall(tool, argumentsJson, agent)}\n\nChoose run_again, happened (with the result, if you know it) or give_up.`,
  );
}

/** True for a description that does not show all of what it is about: its middle, or with older programs its end, is left out. */
export function isDescriptionCut(description: string): boolean {
  // A text that only repeats such a mark and is as long as a cut one is taken for cut: that is the safe side.
  return (
    byteLength(description) > descriptionBytesMax - cutSlackBytes && /^\[cut: \d+ bytes in full/m.test(description)
  );
}

/** A cut description may be so much shorter than the bound: characters are not halved. */
const cutSlackBytes = 256;

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
 * arguments as they were shown; the agent's own words where they say more. Numbers that may have been rounded before they came here
 * are named.
 */
export function describeQuestion({ agent, agents, prompt, tool, argumentsJson, choices }: ShownQuestion): string {
  const head = `**PROXY APPROVAL — A2A Agent: ${quotedName(agent)}**`;
  const chain = agents.length === 0 ? '' : `\n\nAgents: ${[agent, ...agents].map(quotedName).join(' → ')}`;
  const call = argumentsJson === '' ? '' : visibleText(wholeCall(tool, argumentsJson));
  const says = prompt.trim() === '' ? 'It does not say what for.' : quotedLines(prompt);
  const doubt = doubtOfNumbers(argumentsJson, prompt.trim() !== '');
  const isAllSaid = doubt === '' && call !== '' && visibleText(prompt).includes(call) && !choices.includes('run_again');
  const words = isAllSaid || prompt.trim() === '' ? '' : `\n\nThe agent says: ${spoken(prompt)}`;
  return bounded(`${head}${chain}${doubt}\n\n${call === '' ? says : `${call}${words}`}`);
}

/**
 * What another agent sent was parsed before it came here, and large integers may have been rounded by that. Stands before the call:
 * the head of a long description is kept.
 */
function doubtOfNumbers(argumentsJson: string, hasWords: boolean): string {
  if (parseJson(argumentsJson) === undefined) return '';
  const places = maybeRounded(argumentsJson, roundedPlacesMax + 1);
  if (places.length === 0) return '';
  const named = places
    .slice(0, roundedPlacesMax)
    .map((at) => quotedName(at.length > placeCharactersMax ? `${at.slice(0, placeCharactersMax)}…` : at))
    .join(', ');
  const others = places.length > roundedPlacesMax ? ' and others' : '';
  const [numbers, them] = places.length === 1 ? ['number', 'it'] : ['numbers', 'them'];
  const advice = hasWords
    ? `compare ${them} with the agent's own words`
    : `the agent says nothing to compare ${them} with`;
  return `\n\n⚠️ The ${numbers} at ${named}${others} may have been rounded on the way here; ${advice}.`;
}

/** How many numbers that may have been rounded are named, and how much of the place of each. */
const roundedPlacesMax = 3;
const placeCharactersMax = 80;

/** Names of plain letters as they are known to clients; any other exactly, since two names may share their capitals. */
function heading(tool: string): string {
  const name = quotedName(tool);
  return name === tool ? tool.toUpperCase() : name;
}

/** Words of one line as they are; several are quoted, since a line could pretend to be one of ours. */
function spoken(text: string): string {
  return text.includes('\n') ? `\n${quotedLines(text)}` : text;
}

function bounded(text: string): string {
  return cutMiddle(visibleText(text), descriptionBytesMax);
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

/** A text is quoted where it could pretend to be the next line, or to be another one in quotes. */
function shown(value: Json | undefined): string {
  return typeof value === 'string' && !/[\n\t"\\]|^\s|\s$|^$/.test(value) ? value : JSON.stringify(value);
}

function indented(parsed: Json | undefined, text: string): string {
  return parsed === undefined ? spoken(text) : JSON.stringify(parsed, null, 2);
}
