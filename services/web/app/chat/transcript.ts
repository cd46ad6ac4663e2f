import { type ExactValue, parseExact } from '../api/exact-json.ts';
import type { Actor, Delta, LogEvent } from '../api/types.ts';

// What a conversation shows, made from its events alone: the same events always show the same.

export type CallState = 'waiting' | 'running' | 'done' | 'failed' | 'doubt' | 'refused' | 'rejected';

/** One use of a tool, or of another agent. */
export type Call = {
  readonly id: string;
  readonly tool: string;
  readonly server: string;
  readonly args: ExactValue;
  readonly state: CallState;
  readonly result?: string;
  readonly note?: string;
  readonly approval?: string;
  readonly ms?: number;
};

export type Item =
  | {
      readonly kind: 'said';
      readonly key: string;
      readonly by: 'user' | 'agent';
      readonly text: string;
      readonly node: string;
      readonly time: string | null;
    }
  | {
      readonly kind: 'calls';
      readonly key: string;
      readonly calls: readonly string[];
      readonly node: string;
      readonly time: string | null;
    }
  | {
      readonly kind: 'note';
      readonly key: string;
      readonly tone: 'calm' | 'bad';
      readonly text: string;
      readonly time: string | null;
    };

/** What is being done now, in words. */
export type Activity = 'idle' | 'model' | 'tools' | 'people' | 'paused';

export type Transcript = {
  readonly revision: number;
  readonly items: readonly Item[];
  readonly calls: ReadonlyMap<string, Call>;
  readonly activity: Activity;
  readonly isRunOpen: boolean;
  /** What a model is writing, by step and turn. */
  readonly writing: ReadonlyMap<string, Delta>;
};

export const emptyTranscript: Transcript = {
  ...{ revision: 0, items: [], calls: new Map(), activity: 'idle', isRunOpen: false, writing: new Map() },
};

type Payload = LogEvent['payload'];
const text = (payload: Payload, name: string): string => (typeof payload[name] === 'string' ? payload[name] : '');
const isTrue = (payload: Payload, name: string): boolean => payload[name] === true;
/** Calls of another run may have the same id. */
const callKey = (payload: Payload, id = text(payload, 'call_id')): string => `${text(payload, 'run_id')}/${id}`;
const writingKey = (run: unknown, step: unknown, turn: unknown): string => `${run}/${step}/${turn}`;

export const nameOf = ({ id, kind, claimed }: Actor): string =>
  kind === 'system'
    ? 'the platform'
    : id === undefined || id === '' || id === 'anonymous'
      ? 'somebody'
      : claimed
        ? `“${id}” (unverified)`
        : id;

/** The transcript after one more event. An event that was seen already, or whose type is not known here, changes nothing that is shown. */
export function withEvent(before: Transcript, event: LogEvent): Transcript {
  if (event.revision <= before.revision) return before;
  return { ...before, ...(changeOf(before, event) ?? {}), revision: event.revision };
}

function changeOf(before: Transcript, event: LogEvent): Partial<Transcript> | undefined {
  const { payload, time, actor } = event;
  const key = `e${event.revision}`;
  const add = (...items: readonly Item[]): Partial<Transcript> => ({ items: [...before.items, ...items] });
  const note = (said: string, tone: 'calm' | 'bad' = 'calm'): Partial<Transcript> =>
    add({ kind: 'note', key, tone, text: said, time });
  switch (event.type) {
    case 'user_message_received':
      return {
        ...add({ kind: 'said', key, by: 'user', text: text(payload, 'text'), node: '', time }),
        isRunOpen: true,
        activity: 'model',
      };
    case 'step_started':
    case 'run_claimed':
      return { activity: before.activity === 'idle' || before.activity === 'people' ? 'model' : before.activity };
    case 'model_responded':
      return responded(before, event);
    case 'delegation_requested':
      return withCalls(before, event, [payload.call]);
    case 'model_failed':
      return note(`The model ${text(payload, 'model')} could not answer: ${text(payload, 'message')}`, 'bad');
    case 'approval_requested':
      return {
        ...withCall(before, callKey(payload), { state: 'waiting', approval: text(payload, 'approval_id') }),
        activity: 'people',
      };
    case 'approval_resolved':
      return resolved(before, event, note);
    case 'call_edited':
      return edited(before, event);
    case 'tool_call_started':
    case 'delegation_started':
      return { ...withCall(before, callKey(payload), { state: 'running' }), activity: 'tools' };
    case 'tool_call_finished':
    case 'delegation_finished':
      return finished(before, payload);
    case 'tool_call_in_doubt':
      return {
        ...withCall(before, callKey(payload), { state: 'doubt', note: text(payload, 'reason') }),
        activity: 'people',
      };
    case 'tool_call_refused':
      return {
        ...withCall(before, callKey(payload), { state: 'refused', note: text(payload, 'message') }),
        activity: 'model',
      };
    case 'input_requested':
      return { activity: 'people' };
    case 'input_provided':
      return { ...note(`${capital(nameOf(actor))} answered a question.`), activity: 'tools' };
    case 'run_paused':
      return { ...note(`${capital(nameOf(actor))} paused the run.`), activity: 'paused' };
    case 'run_resumed':
      return { ...note(`${capital(nameOf(actor))} let the run go on.`), activity: 'model' };
    case 'run_completed':
      return { isRunOpen: false, activity: 'idle', writing: new Map() };
    case 'run_failed':
      return {
        ...note(text(payload, 'text') || 'The run failed.', 'bad'),
        isRunOpen: false,
        activity: 'idle',
        writing: new Map(),
      };
    case 'run_canceled': {
      const why = text(payload, 'reason');
      const said = `${capital(nameOf(actor))} canceled the run${why === '' ? '.' : `: ${why}`}`;
      return { ...note(said), isRunOpen: false, activity: 'idle', writing: new Map() };
    }
    default:
      return undefined;
  }
}

function responded(before: Transcript, event: LogEvent): Partial<Transcript> {
  const { payload, time } = event;
  const writing = new Map(before.writing);
  writing.delete(writingKey(payload.run_id, payload.step_id, payload.turn));
  const said = text(payload, 'text');
  const spoken: readonly Item[] =
    said === ''
      ? []
      : [{ kind: 'said', key: `e${event.revision}`, by: 'agent', text: said, node: text(payload, 'node'), time }];
  const next = { ...before, items: [...before.items, ...spoken] };
  const calls = Array.isArray(payload.calls) ? payload.calls : [];
  return {
    items: next.items,
    writing,
    ...(calls.length === 0 ? {} : { ...withCalls(next, event, calls), activity: 'tools' as const }),
  };
}

function withCalls(
  before: Transcript,
  { payload, revision, time }: LogEvent,
  listed: readonly unknown[],
): Partial<Transcript> {
  const calls = new Map(before.calls);
  const ids = listed.map((one) => {
    const call = one as Payload;
    const id = callKey(payload, text(call, 'call_id'));
    calls.set(id, {
      ...{ id, tool: text(call, 'tool') || text(call, 'agent'), server: text(call, 'server'), args: argumentsOf(call) },
      ...stateAtFirst(call),
    });
    return id;
  });
  const item: Item = { kind: 'calls', key: `c${revision}`, calls: ids, node: text(payload, 'node'), time };
  return { calls, items: [...before.items, item] };
}

/** A call that may simply be repeated runs without another word; one that was refused never does. */
function stateAtFirst(call: Payload): Pick<Call, 'state' | 'note'> {
  switch (text(call, 'disposition')) {
    case 'DISPOSITION_REFUSED':
      return { state: 'refused', note: text(call, 'error') };
    case 'DISPOSITION_GATED':
      return { state: 'waiting' };
    default:
      return { state: 'running' };
  }
}

function argumentsOf(call: Payload): ExactValue {
  const json = text(call, 'arguments_json');
  if (json === '') return {};
  try {
    return parseExact(json) as ExactValue;
  } catch {
    return json;
  }
}

function withCall(before: Transcript, id: string, change: Partial<Call>): Partial<Transcript> {
  const call = before.calls.get(id);
  return call === undefined ? {} : { calls: new Map(before.calls).set(id, { ...call, ...change }) };
}

function resolved(
  before: Transcript,
  event: LogEvent,
  note: (said: string) => Partial<Transcript>,
): Partial<Transcript> {
  const { payload, actor } = event;
  const decision = text(payload, 'decision').replace('DECISION_', '');
  const tool = text(payload, 'tool');
  const who = isTrue(payload, 'by_policy') ? 'A rule' : capital(nameOf(actor));
  const said = text(payload, 'said');
  const words: Readonly<Record<string, string>> = {
    APPROVED: `${who} approved ${tool}.`,
    REJECTED: `${who} rejected ${tool}.`,
    EXPIRED: `Nobody decided on ${tool} in time.`,
    WITHDRAWN: `The question about ${tool} was withdrawn.`,
    RUN_AGAIN: `${who} had ${tool} run again.`,
    HAPPENED: `${who} said what came of ${tool}.`,
    GIVE_UP: `${who} gave ${tool} up.`,
  };
  const isNo = decision === 'REJECTED' || decision === 'EXPIRED';
  const call = isNo ? withCall(before, callKey(payload), { state: 'rejected' }) : {};
  const line = words[decision];
  if (line === undefined) return call;
  return { ...note(said === '' ? line : `${line} “${said}”`), ...call, activity: 'model' };
}

function edited(before: Transcript, { payload }: LogEvent): Partial<Transcript> {
  const call = payload.call as Payload | undefined;
  return call === undefined ? {} : withCall(before, callKey(payload), { args: argumentsOf(call) });
}

function finished(before: Transcript, payload: Payload): Partial<Transcript> {
  const failed = isTrue(payload, 'is_error');
  const change = withCall(before, callKey(payload), {
    ...{ state: failed ? 'failed' : 'done', result: text(payload, 'content') },
    ...(typeof payload.duration_ms === 'number' ? { ms: payload.duration_ms } : {}),
    ...(payload.cut === undefined ? {} : { note: 'The result was too long: only its beginning is kept.' }),
  });
  const calls = change.calls ?? before.calls;
  const others = [...calls.values()].map(({ state }) => state);
  const activity = others.includes('running')
    ? 'tools'
    : others.includes('waiting') || others.includes('doubt')
      ? 'people'
      : 'model';
  return before.isRunOpen ? { ...change, activity } : change;
}

/**
 * The transcript after a piece of an answer that is still being written. Where pieces before it are missing, since somebody came later or reads
 * slowly, it begins anew with this one: `offset` says how much of the answer stands before what is shown.
 */
export function withDelta(before: Transcript, delta: Delta): Transcript {
  const key = writingKey(delta.run_id, delta.step_id, delta.turn);
  const known = before.writing.get(key);
  if (!before.isRunOpen || (known !== undefined && known.attempt > delta.attempt)) return before;
  const isNext = known?.attempt === delta.attempt && known.offset + known.text.length === delta.offset;
  const next = isNext ? { ...delta, offset: known.offset, text: known.text + delta.text } : delta;
  return { ...before, writing: new Map(before.writing).set(key, next) };
}

/** At the beginning of a sentence. A name stays as it is written: it may be another one in capitals. */
const capital = (words: string): string =>
  words.replace(/^(?:the platform|somebody)/, (one) => one.charAt(0).toUpperCase() + one.slice(1));
