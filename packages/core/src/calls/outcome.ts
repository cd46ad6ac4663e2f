import type { OfferedTool } from '../agent/definition.ts';
import type { BlobRef } from '../events/blobs.ts';

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
