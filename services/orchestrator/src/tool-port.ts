import type { BlobRef, CallAsked, InputAction, OfferedTool, Toolset } from '@stopgo/core';
import type { Secret } from '@stopgo/rpc';
import type { CallTurn } from './bridges/call-turns.ts';

/** One attempt of one call. */
export type AttemptKey = {
  readonly conversationId: string;
  readonly runId: string;
  readonly callId: string;
  readonly attempt: number;
};

export type ExecuteRequest = {
  readonly key: AttemptKey;
  /** The bridge instance that the attempt is recorded for. */
  readonly bridge: string;
  readonly server: string;
  readonly tool: string;
  readonly argumentsJson: string;
  readonly approvalId: string;
  readonly digest: string;
  readonly pin: string;
  readonly bearer?: Secret;
  readonly sessionId: string;
  /** Key of the principal that the conversation belongs to, whose connected account is used; absent: nobody's is. */
  readonly user?: string;
};

/** What became of an attempt. */
export type ExecuteOutcome =
  | {
      readonly kind: 'finished';
      readonly content: string;
      readonly isError: boolean;
      readonly durationMs: number;
      readonly cut?: { readonly fullBytes: number; readonly sha256: string };
      /** What the result holds beside text; it is kept already. */
      readonly blobs?: readonly BlobRef[];
      readonly structuredJson?: string;
    }
  /** `isHeld`: nobody has accepted the tool as it is now. */
  | { readonly kind: 'pin_changed'; readonly current: OfferedTool; readonly isHeld?: boolean }
  /** `wantsAccount`: its user has to connect an account at the server. */
  | { readonly kind: 'unauthenticated'; readonly wantsAccount?: true }
  /** It did not run and will not, for a reason that the model may be told. */
  | { readonly kind: 'not_run'; readonly message: string }
  /** It did not run: nothing on the record lets it, or nobody has accepted its tool. */
  | { readonly kind: 'not_allowed'; readonly message: string }
  /**
   * It did not run and never will: it was fenced before it came, or its bridge takes nothing (under that id) any more, or
   * cannot look into the log. `message` says which, where that is known.
   */
  | { readonly kind: 'fenced'; readonly message?: string }
  /** It was sent, and nobody can tell whether it ran. */
  | { readonly kind: 'unknown'; readonly message: string };

/** What the server of a call that is under way asks people, or has a model asked. */
export type AskedQuestions = CallAsked['questions'];

/** The answer to a request to make an attempt: what became of it, or that it goes on and waits for answers. */
export type ExecuteAnswer = ExecuteOutcome | { readonly kind: 'asking'; readonly questions: AskedQuestions };

/** The answer to the question of a server. */
export type QuestionAnswer = {
  readonly questionId: string;
  readonly action: InputAction;
  readonly contentJson: string;
};

/**
 * What became of an answer that was handed over: the server is given it, or does not wait for it any more, or its bridge has to ask
 * anew whatever is still waited for.
 */
export type HandedAnswer = 'taken' | 'late' | 'asked_anew';

/** What a bridge knows of an attempt. */
export type FenceOutcome =
  | { readonly kind: 'never_seen' }
  /** `lapsed`: ids of questions that take no answer any more, as the bridge asks anew what is still waited for. */
  | { readonly kind: 'running'; readonly questions: AskedQuestions; readonly lapsed: readonly string[] }
  | { readonly kind: 'forgotten' }
  | { readonly kind: 'outcome'; readonly outcome: ExecuteOutcome };

/** What is to be new, so that it is told; `waitMs` in milliseconds. */
export type FenceNews = { readonly known: readonly string[]; readonly waitMs: number };

/** The catalogue as this process last saw it. */
export type Catalogue = {
  readonly tools: Toolset;
  /** Full recorded definitions by pin. */
  readonly definitions: ReadonlyMap<string, string>;
  /** Tools that are offered to nobody until a person accepts them, by name; absent: none. */
  readonly held?: HeldTools;
  /** Configured servers whose tools nobody has listed yet; absent: none. */
  readonly unlisted?: ReadonlySet<string>;
};

/** By a tool's name: its server, and whether nobody ever accepted a tool of that name there. */
export type HeldTools = ReadonlyMap<string, { readonly server: string; readonly isNew: boolean }>;

/** Tools as the orchestrator needs them. `execute`, `fence`, `answer` and `cancel` reject when no answer came. */
export type ToolPort = {
  /** Never waits; throws `unavailable` before the first catalogue has come. */
  catalogue(): Catalogue;
  /** A bridge instance for a new attempt; undefined if none is known that would take it. Never waits. */
  choose(): string | undefined;
  /** Resolves with one as soon as there is one. Rejects when the signal aborts. */
  available(signal: AbortSignal): Promise<string>;
  /** A place among the calls of a server at that bridge. What may not begin yet has not been started. */
  turn(bridge: string, server: string, signal: AbortSignal): CallTurn;
  /** `waitMs`: how long the outcome is waited for; then it rejects with `deadline_exceeded`, and the call goes on. */
  execute(request: ExecuteRequest, waitMs: number): Promise<ExecuteAnswer>;
  /** `news`: a call that runs is answered for when it has ended, or asks something else than known, or so much time has passed. */
  fence(key: AttemptKey, bridge: string, news?: FenceNews): Promise<FenceOutcome>;
  /** Hands an answer over. */
  answer(key: AttemptKey, bridge: string, answer: QuestionAnswer): Promise<HandedAnswer>;
  cancel(key: AttemptKey, bridge: string): Promise<void>;
};
