import { type ExactValue, parseExact } from '../api/exact-json.ts';
import type { Actor, Delta, LogEvent } from '../api/types.ts';
import { Copied } from './copied.ts';

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

/**
 * Makes a transcript. It takes events and pieces of answers in, any number of them at once, and copies what changed when it is asked for
 * what to show: the work for an event does not grow with what was before it.
 */
export class TranscriptBuilder {
  #shown = emptyTranscript;
  #revision = 0;
  readonly #items = new Copied<Item[], readonly Item[]>([], (items) => [...items]);
  readonly #calls = new Copied<Map<string, Call>, ReadonlyMap<string, Call>>(new Map(), (calls) => new Map(calls));
  readonly #writing = new Copied<Map<string, Delta>, ReadonlyMap<string, Delta>>(new Map(), (all) => new Map(all));
  /** How many calls are in a state. */
  readonly #inState = new Map<CallState, number>();
  activity: Activity = 'idle';
  isRunOpen = false;

  /** Takes in one more event. One that was seen already, or whose type is not known here, changes nothing that is shown. */
  take(event: LogEvent): void {
    if (event.revision <= this.#revision) return;
    this.#revision = event.revision;
    take(this, event);
  }

  /**
   * Takes in a piece of an answer that is still being written. Where pieces before it are missing, since somebody came later or reads
   * slowly, the answer begins anew with this one: `offset` says how much of it stands before what is shown.
   */
  takePiece(delta: Delta): void {
    const key = writingKey(delta.run_id, delta.step_id, delta.turn);
    const known = this.#writing.now.get(key);
    if (!this.isRunOpen || (known !== undefined && known.attempt > delta.attempt)) return;
    const isNext = known?.attempt === delta.attempt && known.offset + known.text.length === delta.offset;
    const next = isNext ? { ...delta, offset: known.offset, text: known.text + delta.text } : delta;
    this.#writing.change().set(key, next);
  }

  /** What is to be shown. It stays as it is; what did not change is the same object as before. */
  shown(): Transcript {
    const { activity, isRunOpen } = this;
    const next = { revision: this.#revision, activity, isRunOpen };
    const parts = { items: this.#items.copy(), calls: this.#calls.copy(), writing: this.#writing.copy() };
    const before = this.#shown;
    const isSame = (Object.entries({ ...next, ...parts }) as [keyof Transcript, unknown][]).every(
      ([name, value]) => before[name] === value,
    );
    if (!isSame) this.#shown = { ...next, ...parts };
    return this.#shown;
  }

  add(item: Item): void {
    this.#items.change().push(item);
  }

  addCall(call: Call): void {
    this.#count(call.id, call.state);
    this.#calls.change().set(call.id, call);
  }

  changeCall(id: string, change: Partial<Call>): void {
    const call = this.#calls.now.get(id);
    if (call !== undefined) this.addCall({ ...call, ...change });
  }

  hasCallsIn(state: CallState): boolean {
    return (this.#inState.get(state) ?? 0) > 0;
  }

  isWritten(key: string): void {
    if (this.#writing.now.has(key)) this.#writing.change().delete(key);
  }

  endRun(): void {
    this.isRunOpen = false;
    this.activity = 'idle';
    if (this.#writing.now.size > 0) this.#writing.change().clear();
  }

  #count(id: string, state: CallState): void {
    const before = this.#calls.now.get(id)?.state;
    if (before !== undefined) this.#inState.set(before, (this.#inState.get(before) ?? 0) - 1);
    this.#inState.set(state, (this.#inState.get(state) ?? 0) + 1);
  }
}

function take(to: TranscriptBuilder, event: LogEvent): void {
  const { payload, time, actor } = event;
  const key = `e${event.revision}`;
  const note = (said: string, tone: 'calm' | 'bad' = 'calm') => to.add({ kind: 'note', key, tone, text: said, time });
  const who = () => capital(nameOf(actor));
  switch (event.type) {
    case 'user_message_received':
      to.add({ kind: 'said', key, by: 'user', text: text(payload, 'text'), node: '', time });
      to.isRunOpen = true;
      to.activity = 'model';
      return;
    case 'step_started':
    case 'run_claimed':
      if (to.activity === 'idle' || to.activity === 'people') to.activity = 'model';
      return;
    case 'model_responded':
      takeResponse(to, event);
      return;
    case 'delegation_requested':
      takeCalls(to, event, [payload.call]);
      return;
    case 'model_failed':
      note(`The model ${text(payload, 'model')} could not answer: ${text(payload, 'message')}`, 'bad');
      return;
    case 'approval_requested':
      to.changeCall(callKey(payload), { state: 'waiting', approval: text(payload, 'approval_id') });
      to.activity = 'people';
      return;
    case 'approval_resolved':
      takeDecision(to, event, note);
      return;
    case 'call_edited':
      if (payload.call !== undefined) to.changeCall(callKey(payload), { args: argumentsOf(payload.call as Payload) });
      return;
    case 'tool_call_started':
    case 'delegation_started':
      to.changeCall(callKey(payload), { state: 'running' });
      to.activity = 'tools';
      return;
    case 'tool_call_finished':
    case 'delegation_finished':
      takeResult(to, payload);
      return;
    case 'tool_call_in_doubt':
      to.changeCall(callKey(payload), { state: 'doubt', note: text(payload, 'reason') });
      to.activity = 'people';
      return;
    case 'tool_call_refused':
      to.changeCall(callKey(payload), { state: 'refused', note: text(payload, 'message') });
      to.activity = 'model';
      return;
    case 'input_requested':
      to.activity = 'people';
      return;
    case 'input_provided':
      note(`${who()} answered a question.`);
      to.activity = 'tools';
      return;
    case 'run_paused':
      note(`${who()} paused the run.`);
      to.activity = 'paused';
      return;
    case 'run_resumed':
      note(`${who()} let the run go on.`);
      to.activity = 'model';
      return;
    case 'run_completed':
      to.endRun();
      return;
    case 'run_failed':
      note(text(payload, 'text') || 'The run failed.', 'bad');
      to.endRun();
      return;
    case 'run_canceled': {
      const why = text(payload, 'reason');
      note(`${who()} canceled the run${why === '' ? '.' : `: ${why}`}`);
      to.endRun();
      return;
    }
  }
}

function takeResponse(to: TranscriptBuilder, event: LogEvent): void {
  const { payload, revision, time } = event;
  to.isWritten(writingKey(payload.run_id, payload.step_id, payload.turn));
  const said = text(payload, 'text');
  if (said !== '')
    to.add({ kind: 'said', key: `e${revision}`, by: 'agent', text: said, node: text(payload, 'node'), time });
  const calls = Array.isArray(payload.calls) ? payload.calls : [];
  if (calls.length === 0) return;
  takeCalls(to, event, calls);
  to.activity = 'tools';
}

function takeCalls(to: TranscriptBuilder, { payload, revision, time }: LogEvent, listed: readonly unknown[]): void {
  const ids = listed.map((one) => {
    const call = one as Payload;
    const id = callKey(payload, text(call, 'call_id'));
    to.addCall({
      ...{ id, tool: text(call, 'tool') || text(call, 'agent'), server: text(call, 'server'), args: argumentsOf(call) },
      ...stateAtFirst(call),
    });
    return id;
  });
  to.add({ kind: 'calls', key: `c${revision}`, calls: ids, node: text(payload, 'node'), time });
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

function takeDecision(to: TranscriptBuilder, { payload, actor }: LogEvent, note: (said: string) => void): void {
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
  if (decision === 'REJECTED' || decision === 'EXPIRED') to.changeCall(callKey(payload), { state: 'rejected' });
  const line = words[decision];
  if (line === undefined) return;
  note(said === '' ? line : `${line} “${said}”`);
  to.activity = 'model';
}

function takeResult(to: TranscriptBuilder, payload: Payload): void {
  to.changeCall(callKey(payload), {
    ...{ state: isTrue(payload, 'is_error') ? 'failed' : 'done', result: text(payload, 'content') },
    ...(typeof payload.duration_ms === 'number' ? { ms: payload.duration_ms } : {}),
    ...(payload.cut === undefined ? {} : { note: 'The result was too long: only its beginning is kept.' }),
  });
  if (!to.isRunOpen) return;
  const areAsked = to.hasCallsIn('waiting') || to.hasCallsIn('doubt');
  to.activity = to.hasCallsIn('running') ? 'tools' : areAsked ? 'people' : 'model';
}

/** At the beginning of a sentence. A name stays as it is written: it may be another one in capitals. */
const capital = (words: string): string =>
  words.replace(/^(?:the platform|somebody)/, (one) => one.charAt(0).toUpperCase() + one.slice(1));
