import type { AgentSource } from '../agent/calling.ts';
import { nameOfTarget } from '../events/target.ts';
import { descriptionBytesMax } from '../text/bounds.ts';
import { byteLength, cutMiddle } from '../text/cut.ts';
import { maybeRounded } from '../text/exact-json.ts';
import { parseJson } from '../text/json.ts';
import { quotedLines, quotedName, spoken, visibleText } from '../text/visible.ts';
import { type AskedTarget, askedKindOf } from './kinds.ts';
import { heading } from './tool-call-words.ts';

/**
 * What an approver is shown of a call: made from the exact arguments, deceptive characters made visible, names that are more than
 * plain words quoted, at most 16 KiB: of a longer one the head and the tail, with a mark between. Of a delegation: the agent, and
 * what is sent to it. `source`: of the run's agent; that somebody asked for its commit is said.
 */
export function describeCall(
  tool: string,
  argumentsJson: string,
  target: AskedTarget = ofTool,
  source?: AgentSource,
): string {
  return bounded(`${pinnedLine(source)}${wholeCall(tool, argumentsJson, target)}`);
}

/** Stands before the call: the head of a long description is kept. */
function pinnedLine(source: AgentSource | undefined): string {
  if (source?.pinned !== true) return '';
  const commit = source.commit.slice(0, commitShown);
  return `⚠️ The run's agent is of commit ${commit} of ${quotedName(source.repository)}, which somebody asked for: another one is synced.\n\n`;
}

/** Characters of a commit that are shown. */
const commitShown = 12;

/** A call of a tool, unless somebody else is named. */
const ofTool: AskedTarget = { kind: 'tool', server: '' };

function wholeCall(tool: string, argumentsJson: string, target: AskedTarget): string {
  return askedKindOf(target).describe({ tool, argumentsJson, target: nameOfTarget(target) });
}

/** What an approver is shown of a call whose outcome is unknown. */
export function describeDoubt(
  tool: string,
  argumentsJson: string,
  reason: string,
  target: AskedTarget = ofTool,
  source?: AgentSource,
): string {
  return bounded(
    `${pinnedLine(source)}**IN DOUBT: ${heading(tool)}**\n\nThis call was started and nobody can tell whether it took effect: ${spoken(reason)}\n\n` +
      `${wholeCall(tool, argumentsJson, target)}\n\nChoose run_again, happened (with the result, if you know it) or give_up.`,
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
  const call = argumentsJson === '' ? '' : visibleText(wholeCall(tool, argumentsJson, ofTool));
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

function bounded(text: string): string {
  return cutMiddle(visibleText(text), descriptionBytesMax);
}
