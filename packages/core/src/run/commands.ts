import type { RequestedCall } from '../calls/judge.ts';
import type { CallOutcomeCommand, RemoteTask } from '../calls/outcome.ts';
import type { AnswerDelegation, CallAsked, DelegationAskedCommand, SamplingAnswered } from '../interrupts/commands.ts';

import type { AnswerUsage } from '../state/usage.ts';
import type { CallAgent } from './agent-calls.ts';
import type { UseData } from './decide-data.ts';

/** What a driver wants to put on the record. */
export type RunCommand =
  /** Become the owner, if nobody owns the run, or its owner is one of those known to be dead: instances. */
  | { readonly type: 'claim'; readonly dead: readonly string[] }
  | ModelAnswered
  | CallAgent
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
  | AnswerDelegation
  | CallAsked
  | SamplingAnswered
  /** An answer did not reach the server that had asked. */
  | { readonly type: 'answerLost'; readonly inputId: string; readonly isAskedAnew?: boolean }
  | CallOutcomeCommand
  | UseData
  /** The call needs a bearer token, and none is at hand. */
  | { readonly type: 'needToken'; readonly callId: string; readonly prompt: string };

export type ModelAnswered = {
  readonly type: 'modelAnswered';
  readonly stepId: string;
  readonly turn: number;
  readonly text: string;
  readonly calls: readonly RequestedCall[];
  readonly usage: AnswerUsage;
  readonly provider: string;
  readonly model: string;
  /** Name of the provider of the configuration that answered; absent or empty: it is none of those. */
  readonly endpoint?: string;
  readonly opaque: Uint8Array;
  readonly stopReason: string;
  /** What the user is told if the answer cannot be taken, for the reason given; without it, the error alone. */
  readonly failureText?: (message: string) => string;
};
