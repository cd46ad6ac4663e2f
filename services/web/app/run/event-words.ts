import type { Actor } from '@stopgo/client';
import { type LogEvent, number, object, type Payload, text } from '../api/payload.ts';
import { nameOf } from '../chat/transcript.ts';
import type { IconName } from '../ui/icon.tsx';
import { numberWords, spentByAnswer } from './spent.ts';
import { tookWords } from './words.ts';

// The record, an event a line, in plain words.

/** What an event is about; the timeline can be narrowed to one. */
export type EventKind = 'people' | 'approvals' | 'calls' | 'models' | 'run';

export const eventKinds: readonly (readonly [EventKind, string])[] = [
  ['people', 'Messages'],
  ['approvals', 'Decisions'],
  ['calls', 'Calls'],
  ['models', 'Models'],
  ['run', 'Progress'],
];

export type EventLine = { readonly kind: EventKind; readonly icon: IconName; readonly text: string };

const shortCharacters = 120;

/** A text from outside as a part of a line; what is cut away is marked. */
function short(whole: string): string {
  const line = whole.replace(/\s+/g, ' ').trim();
  return line.length <= shortCharacters
    ? line
    : `${line.slice(0, shortCharacters - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

const said = (whole: string): string => (whole === '' ? '' : `: “${short(whole)}”`);

/** `names`: of steps and calls, by their ids, for events that do not name them. */
export function lineOf(event: LogEvent, names: ReadonlyMap<string, string>): EventLine {
  const kind = kindOf(event.type);
  return {
    kind,
    icon: icons[kind],
    text: wordsOf(event, names) ?? `Something of a kind that this app does not know (${event.type})`,
  };
}

const icons: Readonly<Record<EventKind, IconName>> = {
  ...{ people: 'chat', approvals: 'inbox', calls: 'tool', models: 'pulse', run: 'graph' },
};

function kindOf(type: string): EventKind {
  if (/^(approval_|standing_|call_edited)/.test(type)) return 'approvals';
  if (/^(user_message|input_|conversation_)/.test(type)) return 'people';
  if (/^(tool_call_|delegation_|agent_)/.test(type)) return 'calls';
  if (/^model_|^step_reminded/.test(type)) return 'models';
  return 'run';
}

/** The names of steps and calls of an event, for those that follow it. */
export function namesIn({ type, payload }: LogEvent): readonly (readonly [string, string])[] {
  if (payload === null) return [];
  if (type === 'step_started')
    return [[`${text(payload, 'run_id')}/${text(payload, 'step_id')}`, text(payload, 'node')]];
  const calls = [...(Array.isArray(payload.calls) ? payload.calls : []), payload.call].filter(
    (one) => one !== undefined,
  );
  return calls.map((one) => {
    const call = object(one);
    const key = `${text(payload, 'run_id')}/${text(call, 'call_id')}`;
    return [key, text(call, 'platform_agent') || text(call, 'agent') || text(call, 'tool')];
  });
}

function wordsOf({ type, payload, actor }: LogEvent, names: ReadonlyMap<string, string>): string | undefined {
  const who = capital(nameOf(actor));
  const known = names.get(`${text(payload, 'run_id')}/${text(payload, 'call_id')}`) ?? 'a call';
  const tool = text(payload, 'tool') || known;
  const node = text(payload, 'node') || names.get(`${text(payload, 'run_id')}/${text(payload, 'step_id')}`) || 'A step';
  const attempt = number(payload, 'attempt') > 1 ? `, attempt ${number(payload, 'attempt')}` : '';
  const took = tookWords(number(payload, 'duration_ms'));
  const agent = text(payload, 'agent') || known;
  switch (type) {
    case 'conversation_created':
      return `The conversation begins, with the agent ${text(payload, 'agent_name')}`;
    case 'user_message_received':
      return `${who} wrote${said(text(payload, 'text'))}`;
    case 'run_started':
      return 'The run begins';
    case 'run_claimed':
      return 'The platform takes the run up';
    case 'run_released':
      return 'The run stops: nothing is left to do but to wait';
    case 'step_started':
      return `${node} begins`;
    case 'step_finished':
      return payload.failed === true ? `${node} has failed, and the others go on` : `${node} is done`;
    case 'step_canceled':
      return `${node} is ended before it is done${said(text(payload, 'reason') || text(payload, 'text'))}`;
    case 'step_reminded':
      return `${node} is asked to say whether it is done`;
    case 'model_responded':
      return answerWords(payload, text(payload, 'node'));
    case 'model_failed':
      return `The model ${text(payload, 'model')} could not answer${said(text(payload, 'message'))}`;
    case 'model_answered_nothing':
      return `The model ${text(payload, 'model')} answered nothing, and is asked again`;
    case 'approval_requested':
      return text(payload, 'kind') === 'APPROVAL_KIND_IN_DOUBT'
        ? `Somebody is asked what became of ${tool}`
        : `An approval is asked for: ${tool}`;
    case 'approval_resolved':
      return decisionWords(payload, who, tool);
    case 'approval_voted':
      return `${who} says yes to ${tool}; more have to`;
    case 'approval_assigned': {
      const { name } = object(payload.assignee);
      return typeof name === 'string'
        ? `${who} asks ${name} to look at ${tool}`
        : `Nobody in particular looks at ${tool} any more`;
    }
    case 'approval_reminded':
      return 'Those who may decide are reminded';
    case 'approval_escalated':
      return 'Others may decide now as well';
    case 'call_edited':
      return `${who} changed the arguments of ${known}`;
    case 'standing_approval_granted':
      return `${who} lets ${tool} run without asking, for the rest of the conversation`;
    case 'standing_approval_revoked':
      return `${who} has the platform ask again`;
    case 'input_requested':
      return text(payload, 'kind') === 'INPUT_KIND_SAMPLING'
        ? 'A tool server has the model asked'
        : text(payload, 'kind') === 'INPUT_KIND_AUTH'
          ? 'Somebody has to sign in'
          : `A question is asked${said(text(payload, 'prompt'))}`;
    case 'input_provided':
      return inputWords(payload, who);
    case 'input_withdrawn':
      return `A question needs no answer any more${said(text(payload, 'reason'))}`;
    case 'tool_call_started':
      return `${known} is called${attempt}`;
    case 'tool_call_finished':
      return `${tool} ${payload.is_error === true ? 'failed' : 'is done'} after ${took}${late(payload)}`;
    case 'tool_call_in_doubt':
      return `Nobody knows whether ${known} ran${said(text(payload, 'reason'))}`;
    case 'tool_call_refused':
      return `${known} was not sent${said(text(payload, 'message'))}`;
    case 'delegation_requested':
      return `${node} wants to hand its task to ${known}`;
    case 'delegation_started':
      return `${agent} is handed a task${attempt}`;
    case 'delegation_updated':
      return `${known} works on its task${stateOfTask(payload)}`;
    case 'delegation_asked':
      return `${known} asks something${said(text(payload, 'text'))}`;
    case 'delegation_answered':
      return `${known} is told the answer`;
    case 'delegation_finished':
      return `${agent} ${payload.is_error === true ? 'failed' : 'is done'} after ${took}${late(payload)}`;
    case 'agent_called':
      return `The agent ${agent} begins its task`;
    case 'agent_returned':
      return `The agent ${agent} ${payload.is_error === true ? 'failed' : 'is done'} after ${took}`;
    case 'state_set':
      return `A result is kept as ${text(payload, 'key')}`;
    case 'run_data_written':
      return `${agent} shares ${text(payload, 'key')} with the other agents`;
    case 'run_data_deleted':
      return `${agent} shares ${text(payload, 'key')} no more`;
    case 'run_paused':
      return `${who} paused the run${said(text(payload, 'reason'))}`;
    case 'run_resumed':
      return `${who} lets the run go on`;
    case 'run_completed':
      return 'The run is completed';
    case 'run_failed':
      return `The run has failed${said(text(payload, 'text'))}`;
    case 'run_canceled':
      return `${who} canceled the run${said(text(payload, 'reason'))}`;
    default:
      return undefined;
  }
}

const late = (payload: Payload): string => (payload.late === true ? ', too late to count' : '');

function stateOfTask(payload: Payload): string {
  const { state } = object(payload.task);
  return typeof state === 'string' && state !== '' ? ` (${state})` : '';
}

function answerWords(payload: Payload, node: string): string {
  const model = text(payload, 'model');
  const calls = Array.isArray(payload.calls) ? payload.calls : [];
  const { inputTokens, outputTokens } = spentByAnswer(payload.usage);
  const tokens = ` (${numberWords(inputTokens)} tokens in, ${numberWords(outputTokens)} out)`;
  const names = calls.map((one) => text(object(one), 'platform_agent') || text(object(one), 'tool'));
  const wants = names.length === 0 ? said(text(payload, 'text')) : `, and asks for ${short(names.join(', '))}`;
  return `The model ${model} answers${node === '' ? '' : ` ${node}`}${wants}${tokens}`;
}

function decisionWords(payload: Payload, who: string, tool: string): string {
  const by = payload.by_policy === true ? 'A rule' : who;
  const why = said(text(payload, 'said') || text(payload, 'reason'));
  switch (text(payload, 'decision')) {
    case 'DECISION_APPROVED':
      return `${by} approved ${tool}${why}`;
    case 'DECISION_REJECTED':
      return `${by} rejected ${tool}${why}`;
    case 'DECISION_EXPIRED':
      return `Nobody decided on ${tool} in time`;
    case 'DECISION_WITHDRAWN':
      return `The question about ${tool} is withdrawn${why}`;
    case 'DECISION_RUN_AGAIN':
      return `${by} has ${tool} run again${why}`;
    case 'DECISION_HAPPENED':
      return `${by} says that ${tool} did happen${why}`;
    case 'DECISION_GIVE_UP':
      return `${by} gives ${tool} up${why}`;
    default:
      return `${by} decided on ${tool}${why}`;
  }
}

function inputWords(payload: Payload, who: string): string {
  if (payload.sampling !== undefined) return 'The model has answered the tool server';
  switch (text(payload, 'action')) {
    case 'INPUT_ACTION_DECLINE':
      return `${who} does not want to answer the question`;
    case 'INPUT_ACTION_CANCEL':
      return `${who} dismissed the question`;
    default:
      return `${who} answered the question`;
  }
}

const capital = (words: string): string =>
  words.replace(/^(?:the platform|somebody)/, (one) => one.charAt(0).toUpperCase() + one.slice(1));

const ways: Readonly<Record<string, string>> = {
  rest: 'over the API',
  a2a: 'over A2A',
  cli: 'at the command line',
  link: 'with a link',
  policy: 'by a rule',
};

/** Who did something, and how much of that is known: somebody who is signed in, or a name that anybody could have given. */
export function whoWords(actor: Actor): string {
  const { kind, id = '', claimed = false, principal = '', surface = '' } = actor;
  const way = ways[surface] === undefined ? '' : `, ${ways[surface]}`;
  if (kind === 'system') return `the platform (${id})`;
  if (id === '' || id === 'anonymous') return `somebody who gave no name${way}`;
  const sure = claimed ? ' – claimed, nobody has verified it' : principal === '' ? '' : ' – signed in';
  return `${kind === 'agent' ? 'the agent ' : ''}${id}${sure}${way}`;
}

/** The same in a word or two, for a line. */
export function whoTag(actor: Actor): 'platform' | 'unverified' | 'signed in' | 'no name' | '' {
  const { kind, id = '', claimed = false, principal = '' } = actor;
  if (kind === 'system') return 'platform';
  if (id === '' || id === 'anonymous') return 'no name';
  return claimed ? 'unverified' : principal === '' ? '' : 'signed in';
}
