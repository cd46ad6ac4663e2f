import type { OfferedTool } from './definition.ts';
import type { RequestedCall } from './judge.ts';

/** What a driver wants to put on the record. */
export type RunCommand =
  /** Become the owner, if nobody owns the run, or its owner is one of those known to be dead. */
  | { readonly type: 'claim'; readonly dead: (instance: string) => boolean }
  | ModelAnswered
  /** `text` is what the user is told if the run fails by it. */
  | {
      readonly type: 'modelFailed';
      readonly stepId: string;
      readonly turn: number;
      readonly model: string;
      readonly message: string;
      readonly text: string;
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
    }
  /** The server wants a token, or another one; the call did not run. */
  | { readonly type: 'callUnauthenticated'; readonly callId: string; readonly attempt: number; readonly prompt: string }
  /** The attempt certainly did not begin, and never will. */
  | { readonly type: 'callNotStarted'; readonly callId: string; readonly attempt: number; readonly message: string };
