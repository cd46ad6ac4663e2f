import type { BlobRef } from './blobs.ts';
import type { OfferedTool } from './definition.ts';
import type { RequestedCall } from './judge.ts';
import type { SamplingAsked } from './sampling.ts';

/** What a driver wants to put on the record. */
export type RunCommand =
  /** Become the owner, if nobody owns the run, or its owner is one of those known to be dead: instances. */
  | { readonly type: 'claim'; readonly dead: readonly string[] }
  | ModelAnswered
  /** `text` is what the user is told if the run fails by it. `isEmpty`: there was an answer, of nothing. */
  | {
      readonly type: 'modelFailed';
      readonly stepId: string;
      readonly turn: number;
      readonly model: string;
      readonly message: string;
      readonly text: string;
      readonly isEmpty?: boolean;
    }
  /** An a2a node is to send this message. */
  | { readonly type: 'delegate'; readonly stepId: string; readonly message: string }
  /** The fence: this attempt, on that bridge (empty for a delegation), by the process whose append records it. */
  | { readonly type: 'startCall'; readonly callId: string; readonly attempt: number; readonly bridge: string }
  /** What another agent made of a delegation that goes on: its task is known, or has another state. */
  | {
      readonly type: 'delegationUpdated';
      readonly callId: string;
      readonly attempt: number;
      readonly task: RemoteTask;
      readonly text: string;
    }
  | DelegationAskedCommand
  /** The fence of an answer: it is sent by the process whose append records it. */
  | { readonly type: 'answerDelegation'; readonly callId: string; readonly attempt: number; readonly key: string }
  | CallAsked
  | SamplingAnswered
  /** An answer did not reach the server that had asked. */
  | { readonly type: 'answerLost'; readonly inputId: string; readonly isAskedAnew?: boolean }
  | CallOutcomeCommand
  /** The call needs a bearer token, and none is at hand. */
  | { readonly type: 'needToken'; readonly callId: string; readonly prompt: string };

export type ModelAnswered = {
  readonly type: 'modelAnswered';
  readonly stepId: string;
  readonly turn: number;
  readonly text: string;
  readonly calls: readonly RequestedCall[];
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  readonly provider: string;
  readonly model: string;
  readonly opaque: Uint8Array;
  readonly stopReason: string;
  /** What the user is told if the answer cannot be taken, for the reason given; without it, the error alone. */
  readonly failureText?: (message: string) => string;
};

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
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
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

/** A task of another agent: its id there, and its state in the words of A2A. Both empty if the agent made none. */
export type RemoteTask = { readonly id: string; readonly state: string };

/** What became of an attempt of a call, or of a delegation. */
export type CallOutcomeCommand =
  | {
      readonly type: 'callFinished';
      readonly callId: string;
      readonly attempt: number;
      readonly tool: string;
      readonly content: string;
      readonly isError: boolean;
      readonly durationMs: number;
      /** Of a result that was cut before it came here. */
      readonly cut?: { readonly fullBytes: number; readonly sha256: string };
      /** What the result holds beside text; it is kept already. */
      readonly blobs?: readonly BlobRef[];
      /** The structured part of the result, as JSON, if the content is not that already. */
      readonly structuredJson?: string;
      /** Of a delegation: the agent, and its task if it was reached. */
      readonly by?: { readonly agent: string; readonly task?: RemoteTask };
    }
  /** Sent, and nobody can tell whether it ran. */
  | {
      readonly type: 'callUnknown';
      readonly callId: string;
      readonly attempt: number;
      readonly reason: string;
      readonly argumentsJson: string;
    }
  /** The tool is not the one that was approved. */
  | {
      readonly type: 'callPinChanged';
      readonly callId: string;
      readonly attempt: number;
      readonly current: OfferedTool;
      readonly argumentsJson: string;
      /** Nobody has accepted the tool as it is now: a call of it is refused even if it is approved. */
      readonly isHeld?: boolean;
    }
  /** The server wants a token, or another one; the call did not run. */
  | { readonly type: 'callUnauthenticated'; readonly callId: string; readonly attempt: number; readonly prompt: string }
  /** The bridge did not let the attempt through: nothing on the record allows it, or its tool is held. It did not run. */
  | { readonly type: 'callNotAllowed'; readonly callId: string; readonly attempt: number; readonly message: string }
  /** The attempt certainly did not begin, and never will. */
  | { readonly type: 'callNotStarted'; readonly callId: string; readonly attempt: number; readonly message: string };
