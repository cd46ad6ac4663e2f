import type { Actor, DeltaEvent, ExactValue } from '@stopgo/client';
import type { Asked, Outcome, Question } from '../questions/question.ts';
import { Copied } from './copied.ts';

// What a conversation shows, made from its events alone: the same events always show the same.

export type CallState =
  | 'waiting'
  | 'asking'
  /** Its server wants a login, or a token, and the call waits for that. */
  | 'login'
  | 'running'
  | 'done'
  | 'failed'
  | 'doubt'
  | 'refused'
  | 'rejected'
  | 'ended';

/** States that the end of a run leaves nothing in. */
const openStates: readonly CallState[] = ['waiting', 'asking', 'login', 'running'];

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

/** An agent of the platform that works on a call of another one, or has. */
export type CalledAgent = {
  /** Key of the call. */
  readonly call: string;
  readonly name: string;
  /** Where its definition comes from; empty: from no repository. */
  readonly commit: string;
  readonly path: string;
  readonly state: 'working' | 'done' | 'failed' | 'ended';
  /** What it gave back. */
  readonly result?: string;
  /** What it says itself of its task: success, partial or failed. */
  readonly says?: string;
  readonly ms?: number;
  /** What was said and done in it. */
  readonly items: readonly Item[];
  /** Changes with whatever is shown in it. */
  readonly version: number;
};

export type Item =
  | {
      readonly kind: 'question';
      readonly key: string;
      readonly id: string;
    }
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
export type Activity = 'idle' | 'model' | 'tools' | 'people';

/** Why a run is paused, and by whom. */
export type Pause = {
  readonly by: string;
  readonly reason: string;
  readonly at: string | null;
  /** The platform has paused it, since an agent has used what it may. */
  readonly isLimit: boolean;
};

/** A piece of an answer, of the main agent, or of the called one that `home` names. */
export type Written = DeltaEvent & { readonly home?: string };

export type Transcript = {
  readonly revision: number;
  readonly items: readonly Item[];
  readonly calls: ReadonlyMap<string, Call>;
  /** By the key of the call that they work on. */
  readonly agents: ReadonlyMap<string, CalledAgent>;
  readonly questions: ReadonlyMap<string, Asked>;
  readonly activity: Activity;
  readonly isRunOpen: boolean;
  readonly paused: Pause | undefined;
  /** What a model is writing, by step and turn. */
  readonly writing: ReadonlyMap<string, Written>;
};

export const emptyTranscript: Transcript = {
  ...{ revision: 0, items: [], calls: new Map(), agents: new Map(), questions: new Map() },
  ...{ activity: 'idle', isRunOpen: false, paused: undefined, writing: new Map() },
};

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
 * A transcript that grows. It is changed any number of times, and copies what changed when it is asked for what to show: the work for an event
 * does not grow with what was before it.
 */
export class GrowingTranscript {
  #shown = emptyTranscript;
  #revision = 0;
  readonly #items = new Copied<Item[], readonly Item[]>([], (items) => [...items]);
  readonly #calls = new Copied<Map<string, Call>, ReadonlyMap<string, Call>>(new Map(), (calls) => new Map(calls));
  readonly #writing = new Copied<Map<string, Written>, ReadonlyMap<string, Written>>(new Map(), (all) => new Map(all));
  readonly #agents = new Copied<Map<string, CalledAgent>, ReadonlyMap<string, CalledAgent>>(
    new Map(),
    (all) => new Map(all),
  );
  readonly #questions = new Copied<Map<string, Asked>, ReadonlyMap<string, Asked>>(new Map(), (all) => new Map(all));
  /** The calls that ask, by the id of the question. */
  readonly #asking = new Map<string, { readonly run: string; readonly call: string }>();
  /** Texts that an output may stand for, by the revision of their event, and whether they are shown as an answer already. */
  readonly #texts = new Map<number, { readonly text: string; readonly isShown: boolean }>();
  /** Keys of the calls that are not over, and of the called agents that work. */
  readonly #open = new Set<string>();
  readonly #working = new Set<string>();
  /** How many calls are in a state. */
  readonly #inState = new Map<CallState, number>();
  conversation = '';
  activity: Activity = 'idle';
  isRunOpen = false;
  paused: Pause | undefined;

  /** The last one that was taken in; 0: none was. */
  get revision(): number {
    return this.#revision;
  }

  /** Goes on to a revision; false for one that it has passed already. */
  goOnTo(revision: number): boolean {
    if (revision <= this.#revision) return false;
    this.#revision = revision;
    return true;
  }

  /**
   * Takes in a piece of an answer that is still being written. Where pieces before it are missing, since somebody came later or reads
   * slowly, the answer begins anew with this one: `offset` says how much of it stands before what is shown.
   */
  takePiece(delta: DeltaEvent): void {
    const key = writingKey(delta.run_id, delta.step_id, delta.turn);
    const known = this.#writing.now.get(key);
    if (!this.isRunOpen || (known !== undefined && known.attempt > delta.attempt)) return;
    const isNext = known?.attempt === delta.attempt && known.offset + known.text.length === delta.offset;
    const next = isNext ? { ...delta, offset: known.offset, text: known.text + delta.text } : delta;
    const home = this.homeOf(delta.run_id, delta.step_id);
    this.#writing.change().set(key, { ...next, ...(home === undefined ? {} : { home }) });
    this.#touch(home);
  }

  /** What is to be shown. It stays as it is; what did not change is the same object as before. */
  shown(): Transcript {
    const { activity, isRunOpen, paused } = this;
    const next = { revision: this.#revision, activity, isRunOpen, paused };
    const parts = {
      ...{ items: this.#items.copy(), calls: this.#calls.copy(), writing: this.#writing.copy() },
      ...{ agents: this.#agents.copy(), questions: this.#questions.copy() },
    };
    const before = this.#shown;
    const isSame = (Object.entries({ ...next, ...parts }) as [keyof Transcript, unknown][]).every(
      ([name, value]) => before[name] === value,
    );
    if (!isSame) this.#shown = { ...next, ...parts };
    return this.#shown;
  }

  /** Shows an item; below a called agent, where one is named. */
  add(item: Item, home?: string): void {
    const agent = home === undefined ? undefined : this.#agents.now.get(home);
    if (agent === undefined) {
      this.#items.change().push(item);
      return;
    }
    this.#agents.change().set(agent.call, { ...agent, items: [...agent.items, item] });
    this.#touch(home);
  }

  addCall(call: Call): void {
    this.#count(call.id, call.state);
    this.#calls.change().set(call.id, call);
  }

  changeCall(id: string, change: Partial<Call>): void {
    const call = this.#calls.now.get(id);
    if (call === undefined) return;
    this.addCall({ ...call, ...change });
    this.#touch(this.homeOf('', id));
  }

  hasCallsIn(state: CallState): boolean {
    return (this.#inState.get(state) ?? 0) > 0;
  }

  addAgent(agent: CalledAgent): void {
    if (agent.state === 'working') this.#working.add(agent.call);
    else this.#working.delete(agent.call);
    this.#agents.change().set(agent.call, agent);
    this.#touch(agent.call);
  }

  changeAgent(call: string, change: Partial<CalledAgent>): void {
    const agent = this.#agents.now.get(call);
    if (agent !== undefined) this.addAgent({ ...agent, ...change });
  }

  /** The called agent that a step or a call belongs to, by the key of the call that it works on; undefined: the main one. */
  homeOf(run: string, id: string): string | undefined {
    if (this.#agents.now.size === 0) return undefined;
    const whole = run === '' ? id : `${run}/${id}`;
    for (let at = whole.lastIndexOf('/'); at > 0; at = whole.lastIndexOf('/', at - 1)) {
      const call = whole.slice(0, at);
      if (this.#agents.now.has(call)) return call;
    }
    return undefined;
  }

  ask(question: Question, asks: { readonly run: string; readonly call: string }): void {
    this.#asking.set(question.id, asks);
    this.#questions.change().set(question.id, { question });
  }

  /** What became of a question; of one that is not shown, nothing is. */
  settle(id: string, outcome: Outcome): void {
    const asked = this.#questions.now.get(id);
    if (asked !== undefined) this.#questions.change().set(id, { ...asked, outcome });
    this.#asking.delete(id);
  }

  /** The question that is open, and its call. */
  askingOf(id: string): { readonly run: string; readonly call: string } | undefined {
    return this.#asking.get(id);
  }

  /** Nobody answers any more what is asked by the calls that a step holds; without a step, of the whole run. */
  withdraw(outcome: Outcome, step?: string): void {
    for (const [id, { call }] of [...this.#asking])
      if (step === undefined || isBelow(call, step)) this.settle(id, outcome);
  }

  /** Keeps a text that an output may stand for. */
  keepText(revision: number, text: string, isShown: boolean): void {
    this.#texts.set(revision, { text, isShown });
  }

  textAt(revision: number): { readonly text: string; readonly isShown: boolean } | undefined {
    return this.#texts.get(revision);
  }

  isWritten({ run, step, turn }: { readonly run: unknown; readonly step: unknown; readonly turn: unknown }): void {
    const key = writingKey(run, step, turn);
    if (this.#writing.now.has(key)) this.#writing.change().delete(key);
  }

  /** What is not over below a step of a run was ended with it; without a step, all of it. What comes of it later is shown all the same. */
  endCalls(run = '', step?: string): void {
    const isEnded = (key: string) => step === undefined || isBelow(key, `${run}/${step}`);
    for (const id of [...this.#open]) if (isEnded(id)) this.changeCall(id, { state: 'ended' });
    for (const call of [...this.#working]) if (isEnded(call)) this.changeAgent(call, { state: 'ended' });
  }

  endRun(): void {
    this.endCalls();
    // Nobody is asked about them any more.
    this.#inState.delete('doubt');
    this.isRunOpen = false;
    this.activity = 'idle';
    this.paused = undefined;
    if (this.#writing.now.size > 0) this.#writing.change().clear();
  }

  /** Has an agent drawn anew, and those that it is shown in. */
  #touch(home: string | undefined): void {
    for (let call = home; call !== undefined; call = this.homeOf('', call)) {
      const agent = this.#agents.now.get(call);
      if (agent !== undefined) this.#agents.change().set(call, { ...agent, version: agent.version + 1 });
    }
  }

  #count(id: string, state: CallState): void {
    const before = this.#calls.now.get(id)?.state;
    if (openStates.includes(state)) this.#open.add(id);
    else this.#open.delete(id);
    if (before !== undefined) this.#inState.set(before, Math.max(0, (this.#inState.get(before) ?? 0) - 1));
    this.#inState.set(state, (this.#inState.get(state) ?? 0) + 1);
  }
}

/** Whether the id of a call goes on behind that of a step. */
const isBelow = (call: string, step: string): boolean =>
  call.startsWith(step) && /^[/#[]/.test(call.slice(step.length));
