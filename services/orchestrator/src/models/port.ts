import type { AnswerUsage } from '@stopgo/core';

/** One message of the transcript in provider-neutral form. */
export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly ModelCall[];
      readonly provider: string;
      readonly opaque?: Uint8Array;
    }
  | { readonly role: 'tool'; readonly results: readonly ModelToolResult[] };

/**
 * A call that a model asked for. `callId` is the only one of its kind in the transcript, and the same in every request;
 * `providerCallId` is empty when the provider gave the call no id.
 */
export type ModelCall = {
  readonly callId: string;
  readonly providerCallId: string;
  readonly name: string;
  readonly argumentsJson: string;
};

/** What came of a call. `callId` says of which one. */
export type ModelToolResult = {
  readonly callId: string;
  readonly providerCallId: string;
  readonly name: string;
  readonly content: string;
  readonly isError: boolean;
  /** What the result holds beside text, in order; absent: nothing. */
  readonly media?: readonly ModelMedia[];
};

/** An image, a sound or a document in the result of a call. */
export type ModelMedia = {
  /** Of the bytes: the same for the same. */
  readonly digest: string;
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
  /** Absent: the model is told in words only. */
  readonly bytes?: Uint8Array;
  /** Why it is not shown, where the bytes are absent. */
  readonly leftOut: string;
};

/** A tool as it is offered to the model; the schema is JSON Schema text and is passed on whole. */
export type ModelTool = { readonly name: string; readonly description: string; readonly inputSchemaJson: string };

/** Everything a model is told. */
export type ModelRequest = {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** Tokens that the answer may have, those of its thoughts among them; absent: what the provider gives. */
  readonly answerTokensMax?: number;
  /** True if an answer without a word and without a call is one too, unless it was cut off; by default it is a failure. */
  readonly mayBeSilent?: boolean;
};

/** provider: the `ProviderName` of who answered; opaque: the provider's own assistant content, only when it holds something that text+calls cannot rebuild (thought signatures, thinking blocks). */
export type ModelAnswer = {
  readonly text: string;
  readonly calls: readonly {
    readonly providerCallId: string;
    readonly name: string;
    readonly argumentsJson: string;
    /** Why the call must not be made, in words for the model; absent if nothing has been found. */
    readonly refusal?: string;
  }[];
  readonly provider: string;
  /** Name of the provider of the configuration that answered; absent: it is none of those. */
  readonly endpoint?: string;
  readonly model: string;
  readonly opaque?: Uint8Array;
  readonly usage: AnswerUsage;
  readonly stopReason: string;
};

/**
 * Why there is no answer, where that is known: the provider takes no more requests for now, is not to be reached or broken, does not
 * take the key or the account, or has no such model; or the conversation is too long for the model.
 */
export type FailureCause = 'rate_limited' | 'unavailable' | 'unauthorized' | 'unknown_model' | 'too_long';

/** An answer, or one line that says why there is none; the line is bounded and free of secrets. */
export type ModelOutcome =
  | { readonly kind: 'answer'; readonly answer: ModelAnswer }
  /** `isEmpty`: the model ended its answer without a word and without a call; asked again it may have one. */
  | { readonly kind: 'failed'; readonly message: string; readonly isEmpty?: true; readonly cause?: FailureCause };

/** Told that the model is asked again in so many milliseconds, and why; the reason is bounded and free of secrets. */
export type OnRetry = (reason: string, inMs: number) => void;

/**
 * A model. `generate` never rejects except when its signal aborts, and then with the signal's reason. `onDelta` gets the
 * answer's text as it arrives; what it got since `onRestart`, which says that another model answers anew, is the beginning of the
 * answer's text, and nothing comes after the end.
 */
export type ModelPort = {
  /** Whether a request to this model, named as in the request, may show media of this type and of so many bytes. */
  takes(model: string, mediaType: string, bytes: number): boolean;
  generate(
    request: ModelRequest,
    options: {
      readonly signal: AbortSignal;
      readonly onDelta?: (text: string) => void;
      readonly onRestart?: () => void;
      readonly onRetry?: OnRetry;
    },
  ): Promise<ModelOutcome>;
};
