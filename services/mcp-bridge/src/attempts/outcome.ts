import type { MessageInitShape } from '@bufbuild/protobuf';
import { type BlobRef, blobRefsToWire } from '@stopgo/core';
import { create, mcp } from '@stopgo/proto';
import type { SecretFilter } from '@stopgo/security';
import { withoutTokens } from '../credentials/bearer.ts';
import type { OpenQuestion } from '../questions/open-questions.ts';
import type { CallEnd, FailureKind } from '../results/call-end.ts';
import type { ResultText } from '../results/content.ts';
import type { CatalogueTool } from '../tools/catalogue.ts';
import { toolMessage } from '../tools/tool-messages.ts';

/** What became of an attempt, in the words of the contract. */
export type Outcome = mcp.ExecuteResponse;

/** The call ran, or failed in a way that the model should read. */
function finished(
  result: ResultText,
  failure: FailureKind | undefined,
  durationMs: number,
  blobs: readonly BlobRef[] = [],
): Outcome {
  const value: MessageInitShape<typeof mcp.FinishedSchema> = {
    content: result.text,
    isError: failure !== undefined,
    failure: failureCode(failure),
    fullBytes: BigInt(result.cut?.fullBytes ?? 0),
    sha256: result.cut?.sha256 ?? '',
    durationMs: Math.max(0, Math.round(durationMs)),
    blobs: blobRefsToWire(blobs),
    structuredJson: result.structuredJson ?? '',
  };
  return create(mcp.ExecuteResponseSchema, { outcome: { case: 'finished', value } });
}

/** What the server, or the bridge in its place, answered, without the caller's token. */
export function answered(
  { result, failure }: Extract<CallEnd, { kind: 'answered' }>,
  durationMs: number,
  token: string | undefined,
  blobs: readonly BlobRef[] = [],
): Outcome {
  return finished({ ...result, text: withoutTokens(result.text, token) }, failure, durationMs, blobs);
}

/** The attempt certainly did not run. */
export function refused(
  reason: mcp.RefusedReason,
  message: string,
  more: {
    readonly tool?: CatalogueTool;
    readonly retryAfterMs?: number | undefined;
    readonly wantsAccount?: boolean;
  } = {},
): Outcome {
  const { tool, retryAfterMs, wantsAccount = false } = more;
  const value: MessageInitShape<typeof mcp.RefusedSchema> = {
    reason,
    message,
    ...(tool === undefined ? {} : { tool: toolMessage(tool) }),
    retryAfterMs: Math.ceil(retryAfterMs ?? 0),
    wantsAccount,
  };
  return create(mcp.ExecuteResponseSchema, { outcome: { case: 'refused', value } });
}

/** Nobody can tell whether the attempt ran. */
export function unknown(message: string, failure?: FailureKind): Outcome {
  const value = { message, failure: failureCode(failure) };
  return create(mcp.ExecuteResponseSchema, { outcome: { case: 'unknown', value } });
}

/** The same outcome, whose text does not repeat a secret. */
export function withoutSecrets(outcome: Outcome, { hide }: SecretFilter): Outcome {
  const { value, case: kind } = outcome.outcome;
  if (kind === 'finished') {
    value.content = hide(value.content);
    value.structuredJson = hide(value.structuredJson);
  }
  if (kind === 'refused' || kind === 'unknown') value.message = hide(value.message);
  return outcome;
}

/** The attempt goes on, and waits for people, or for a model. */
export function askingOutcome(open: readonly OpenQuestion[], now: number): Outcome {
  const value = { questions: open.map((one) => questionMessage(one, now)) };
  return create(mcp.ExecuteResponseSchema, { outcome: { case: 'asking', value } });
}

/** A question as the contract describes it. */
export function questionMessage(
  { id, message, schemaJson, url, until, sampling }: OpenQuestion,
  now: number,
): MessageInitShape<typeof mcp.QuestionSchema> {
  const waitMs = Math.max(0, Math.ceil(until - now));
  if (sampling === undefined) return { id, message, schemaJson, url, waitMs };
  const { systemPrompt, messages, maxTokens, stopSequences } = sampling;
  const said = messages.map(({ byModel, text }) => ({ byModel, text }));
  return { id, waitMs, sampling: { systemPrompt, messages: said, maxTokens, stopSequences: [...stopSequences] } };
}

function failureCode(failure: FailureKind | undefined): mcp.FailureKind {
  switch (failure) {
    case undefined:
      return mcp.FailureKind.UNSPECIFIED;
    case 'tool':
      return mcp.FailureKind.TOOL;
    case 'protocol':
      return mcp.FailureKind.PROTOCOL;
    case 'invalid_arguments':
      return mcp.FailureKind.INVALID_ARGUMENTS;
    case 'invalid_result':
      return mcp.FailureKind.INVALID_RESULT;
    case 'result_too_large':
      return mcp.FailureKind.RESULT_TOO_LARGE;
    case 'timeout':
      return mcp.FailureKind.TIMEOUT;
    case 'canceled':
      return mcp.FailureKind.CANCELED;
    case 'server_lost':
      return mcp.FailureKind.SERVER_LOST;
    case 'server_unavailable':
      return mcp.FailureKind.SERVER_UNAVAILABLE;
    case 'not_supported':
      return mcp.FailureKind.NOT_SUPPORTED;
  }
}
