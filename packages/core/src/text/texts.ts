/** The sentences that clients know and test for. */
import { formatDuration } from './duration.ts';
import { newLimitsText } from './limit-words.ts';
import { quotedName, visibleLine, visibleText } from './visible.ts';

/** Answer of a run whose gated calls were all rejected. */
export const canceledByUser = 'Operation cancelled by user.';
/** Answer of a step that used up its model calls. */
export const turnsUsedUp = 'Maximum tool call iterations reached.';

/** Result of a call of an agent of which nobody knows. */
export function noSuchAgent(name: string): string {
  return `Agent "${visibleLine(name)}" not found in any git repository or external registry`;
}

/** What an agent is told that has answered without saying that it has done its task. */
export const reminder =
  'You have not called complete_agent_execution. Your answer reaches nobody until you do: go on with the task, or call complete_agent_execution with its result.';
/** What a step came to whose agent never said that it has done its task. */
export function notCompleted(agent: string): string {
  return `The agent ${agent} did not call complete_agent_execution, though it was reminded; its task is not done.`;
}
/** The same of one that was asked as often as it may be. */
export function turnsWithoutCompletion(agent: string, turns: number): string {
  return `The agent ${agent} used up its ${turns} model calls without calling complete_agent_execution; its task is not done.`;
}

/** Answer of a run in which nothing was said, and no call had a result. */
export const nothingSaid = 'The run ended without an answer.';

const pipelineFailure = 'Pipeline error: ';

/** Answer of a tree of nodes that failed. What an agent says that was delegated to may have failed so itself: it is said once. */
export function pipelineFailureText(text: string): string {
  return text.startsWith(pipelineFailure) ? text : `${pipelineFailure}${text}`;
}

/** A text that a node of a tree said, as a conversation shows it; the agent's only node has no name there. */
export function saidByNode(node: string, text: string): string {
  return node === '' || text === '' ? text : `[${node}] ${text}`;
}

/** What an agent came to that took longer than it may. */
export function agentTookTooLong(agent: string, ms: number): string {
  return `The agent ${quotedName(agent)} took longer than ${minutesOf(ms)}, which is as long as it may take.`;
}

/** The same of a run, by the agent that answers it. */
export function runTookTooLong(ms: number): string {
  return `The run took longer than ${minutesOf(ms)}, which is as long as its agent may take.`;
}

/** What an agent came to that somebody ended; `by` and `reason` may be empty. */
export function agentCanceled(agent: string, by: string, reason: string): string {
  return `The agent ${quotedName(agent)} was canceled${byWhom(by, reason)}`;
}

/** The same of a step of an agent's tree, by the name of its node. */
export function stepCanceledText(node: string, by: string, reason: string): string {
  return `The step ${quotedName(node)} was canceled${byWhom(by, reason)}`;
}

/** What a conversation shows of a run that somebody has paused: by whom, and why. Both may be empty. */
export function pausedText(by: string, reason: string): string {
  return `The run was paused${byWhom(by, reason)}`;
}

/** The same once it goes on. */
export function resumedText(by: string): string {
  return `The run was resumed${byWhom(by, '')}`;
}

/** The same with what the agent whose limit had stopped it may use from then on. */
export function resumedWithLimits(by: string, agent: string, limits: Parameters<typeof newLimitsText>[0]): string {
  const may = `the agent ${quotedName(agent)} may use ${newLimitsText(limits)}.`;
  return `The run was resumed${byWhom(by, may)}`;
}

function byWhom(by: string, reason: string): string {
  return `${by === '' ? '' : ` by ${quotedName(by)}`}${reason === '' ? '.' : `: ${reason}`}`;
}

function minutesOf(ms: number): string {
  const minutes = ms / 60_000;
  if (!Number.isInteger(minutes)) return formatDuration(ms);
  return `${minutes} minute${minutes === 1 ? '' : 's'}`;
}

/** Answer of a canceled run. */
export function canceledText(reason: string): string {
  return reason === '' ? 'Run canceled.' : `Run canceled: ${reason}`;
}

/** Result that a model is given for a call that a human rejected. */
const rejectedResult = 'The user rejected this call; it was not run.';

/** Result that a model is given for a call that somebody took back before anybody had decided on it. */
const withdrawnResult = 'This call was withdrawn; it was not run.';

/** The same, with what they said to it; empty: nothing. */
export const rejectedFor = (said: string): string => withReason(rejectedResult, said);
export const withdrawnFor = (said: string): string => withReason(withdrawnResult, said);

function withReason(result: string, said: string): string {
  return said === '' ? result : `${result} Reason: ${said}`;
}

/** Result that a model is given for a call that nobody decided on in time. */
export const expiredResult = 'Nobody decided on this call in time; it was not run.';
/** Result that a model is given for a call that ran by nobody's word any more. */
export const standingTakenBack =
  'Tool execution failed: what let this call run without asking was taken back before it began; it was not run. Ask for it again, and a person decides.';
/** Result that a model is given for a call in doubt that a human gave up. */
export const givenUpResult =
  'This call was started and its outcome is unknown; the user decided not to run it again. It may have taken effect.';
/** Result that a model is given for a call that has none, because its run ended before. */
export const endedResult = 'The run ended before this call had a result.';

/** Result of a delegation that has nothing to say. */
export const nothingToDelegate = 'There is no message to delegate; nothing was sent.';
/** Output of a node whose delegation a human rejected, where the tree goes on all the same. */
export const delegationRejected = 'The user rejected this delegation; nothing was sent.';
/** Output of a node whose delegation has failed, where nothing more is known. */
export const delegationFailed = 'The delegation has failed.';

/** Result of a delegation to an agent that was not to be had. */
export function agentUnavailable(agent: string, message: string): string {
  return `Sub-agent unavailable: ${agent}: ${message}`;
}

/** Result of a delegation to an agent that asks again and again. */
export function askedTooOften(agent: string, most: number): string {
  return `The agent ${agent} asked more than ${most} times; it is not answered any more.`;
}

/** Result of a delegation to an agent whose question cannot be put to people. */
export function unreadableQuestion(agent = ''): string {
  return `The agent ${agent} asked what cannot be bound to an answer: malformed, nested too deep, or two questions of one id; it is not answered.`;
}

/** Result of a delegation to an agent that repeats a token where people, and the record, would see it. */
export function tokenInQuestion(agent = ''): string {
  return `The agent ${agent} repeated in its question the bearer token that it was given; it is not answered.`;
}

/** What an agent answered that ended its task without a word. */
export function taskText(id: string, state: string): string {
  return `Task ${id}: ${state}`;
}

/** What a model is told where earlier conversations of a context are not told whole. */
export const earlierTextsLeftOut = '[What was said before this is left out.]';

/** What the model's failure is called in the conversation. */
export function modelFailureText(message: string): string {
  return `LLM error: ${message}`;
}

/** What the failure of another agent is called in the conversation. */
export function agentFailureText(message: string): string {
  return `Agent error: ${message}`;
}

/** The user message that a decision on an approval leaves in the conversation. */
export const decisionTexts = {
  approved: '[APPROVAL]: Approved',
  rejected: '[APPROVAL]: Rejected',
  expired: '[APPROVAL]: Expired',
  withdrawn: '[APPROVAL]: Withdrawn',
  run_again: '[APPROVAL]: Run again',
  happened: '[APPROVAL]: It happened',
  give_up: '[APPROVAL]: Given up',
} as const;

/** What a client is told while approvals are pending; those of a tree's nodes in fewer words. */
export function waitingText(
  pending: readonly {
    readonly id: string;
    readonly description: string;
    readonly choices: readonly string[];
    readonly node?: string;
  }[],
): string {
  return pending
    .map(({ id, description, choices, node = '' }) => {
      const decide = choices.includes('run_again')
        ? `Please decide (${choices.join(', ')})`
        : 'Please approve or reject';
      const how = node === '' ? `${decide} using the approval UUID` : 'Approval UUID';
      return `This action requires approval:\n\n${visibleText(description)}\n\n${how}: ${id}`;
    })
    .join('\n\n');
}

/** What a client is told whose message was not taken because approvals are pending. */
export const respondFirst = 'Conversation is waiting for approval. Please respond to the pending approval first.';

/**
 * What is told of a call whose tool is held: to the model, and with that to the conversation that wanted it. `isNew`: nobody ever accepted
 * a tool of that name. What a shell would read otherwise is not in the command that it names.
 */
export function toolHeld(tool: string, server: string, isNew: boolean): string {
  const why = isNew ? 'nobody has accepted it' : 'nobody has accepted it as it is now';
  const isPlain = [server, tool].every((name) => /^\w[\w.-]*$/u.test(name));
  const command = `stopgo tools accept ${isPlain ? `${server} ${tool}` : 'SERVER TOOL'}`;
  return `the tool "${shownInQuotes(tool)}" of the server "${shownInQuotes(server)}" is held: ${why}; it runs once a person does: \`${command}\``;
}

function shownInQuotes(name: string): string {
  return visibleLine(name.slice(0, 128));
}

/** What people are told who are asked to approve a call whose tool nobody has accepted as it is. */
export const heldUntilAccepted =
  'nobody has accepted it as it is now, and until then it runs for nobody (`stopgo tools`)';

/** What a conversation shows where somebody changed the arguments of a call. */
export const argumentsChanged = 'changed the arguments';

/** What a model is told with the result of a call that ran with other arguments than it asked for, or was decided with them. */
export function editedResult(argumentsJson: string, content: string): string {
  return `A person changed the arguments of this call. It was no longer the call you asked for, but one with these arguments: ${argumentsJson}\nWhat came of that:\n${content}`;
}
