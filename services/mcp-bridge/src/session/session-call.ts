import type { Json } from '@stopgo/core';
import type { Ask } from '../questions/call-scope.ts';
import type { DefinedTool } from '../tools/tool-definitions.ts';

/** How far a server says it is with a call. */
export type Progress = {
  readonly progress: number;
  /** Undefined where it does not say how much there is to do. */
  readonly total?: number | undefined;
  readonly message?: string | undefined;
};

/** One call to make. */
export type SessionCall = {
  readonly tool: DefinedTool;
  readonly arguments: { readonly [key: string]: Json };
  /** The caller's token, already decided to be for this server. */
  readonly token: string | undefined;
  /** How long the call may take without progress, in milliseconds. */
  readonly timeoutMs: number;
  /** How long it may take in all, in milliseconds. */
  readonly totalTimeoutMs: number;
  /** Aborting it asks the server to stop the call; what it answers shortly after is still how the call ended. */
  readonly signal: AbortSignal;
  /** Asks people, or a model, what the server wants to know; absent: nobody is to be asked. */
  readonly ask?: Ask | undefined;
  /** Is told what the server says of its progress. */
  readonly onProgress?: (progress: Progress) => void;
};
