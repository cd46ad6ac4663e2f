import type { RemoteTask } from '../calls/outcome.ts';
import type { AnswerUsage } from '../state/usage.ts';
import type { SamplingAsked } from './sampling.ts';

/** What the task of a delegation waits for now: all of it. */
export type DelegationAskedCommand = {
  readonly type: 'delegationAsked';
  readonly callId: string;
  readonly attempt: number;
  readonly task: RemoteTask;
  readonly text: string;
  /** None: it waits for nothing any more, and what became of it is to be found out. */
  readonly questions: readonly RemoteQuestion[];
  /** Keys of questions whose answers are sent no more: one of these that is there still is asked anew. */
  readonly closed?: readonly string[];
  /** Those of them whose answer the agent has surely not taken. */
  readonly notTaken?: readonly string[];
  /** Why it is asked once more, or what became of the questions that are gone. */
  readonly reason?: string;
};

/** What the server of a call that is under way asks people now: all of it. */
export type CallAsked = {
  readonly type: 'callAsked';
  readonly callId: string;
  readonly attempt: number;
  /** The bridge that the call is under way at. */
  readonly bridge: string;
  readonly questions: readonly {
    /** Unique for ever. */
    readonly id: string;
    readonly message: string;
    /** Of the values asked for; empty if a person is to open an address. */
    readonly schemaJson: string;
    readonly url: string;
    /** How long it is waited for still, in milliseconds. */
    readonly waitMs: number;
    /** What a model is asked; then no person is. */
    readonly sampling?: SamplingAsked | undefined;
  }[];
  /** Ids of questions that take no answer any more, as what is still waited for is asked anew. */
  readonly lapsed?: readonly string[];
};

/** What a model made of what a tool server had it asked. */
export type SamplingAnswered = {
  readonly type: 'samplingAnswered';
  readonly inputId: string;
  /** The answer as the server is given it; empty if there is none. */
  readonly contentJson: string;
  /** Why there is none. */
  readonly error: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: AnswerUsage;
};

/** A question of another agent, as it shows it. */
export type RemoteQuestion = {
  /** Tells it from all others of the task. */
  readonly key: string;
  /** `approval`: for people; `auth`: for a bearer token, and for nothing else. */
  readonly kind: 'approval' | 'auth';
  /** What it says of this question, and of no other; empty if it lets the arguments speak for themselves. */
  readonly prompt: string;
  /** True if it repeats a bearer token that it was given: what it says is not told, so it cannot be decided on. */
  readonly holdsToken?: true;
  /** What it shows of the approval that it waits for. */
  readonly approval?: {
    readonly id: string;
    /** Empty if it names none. */
    readonly tool: string;
    readonly server: string;
    /** JSON text; empty if it shows none. */
    readonly argumentsJson: string;
    /** True if the arguments are nested so deep that there is no text of them. */
    readonly isUnreadable?: true;
    /** Words by which it is decided. */
    readonly choices: readonly string[];
    /** The agents below the one that is asked, the innermost last. */
    readonly agents: readonly string[];
  };
};

/** The fence of an answer: it is sent by the process whose append records it. */
export type AnswerDelegation = {
  readonly type: 'answerDelegation';
  readonly callId: string;
  readonly attempt: number;
  readonly key: string;
};
