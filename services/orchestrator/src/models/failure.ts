import type { FailureCause } from './port.ts';
import type { Attempt } from './retry.ts';

type Failure = Extract<Attempt<never>, { kind: 'failed' }>;

const statusTooManyRequests = 429;
const statusRequestTimeout = 408;
const statusServerFaultMin = 500;
/** The account, or its key, is not taken. */
const refusedForAccount: ReadonlySet<number> = new Set([401, 402, 403]);
const statusNotFound = 404;
/** How providers say so of a request that is too long, and of a key. */
const tooLong =
  /context[ _](?:length|window)|maximum context|(?:prompt|input) is too long|token count .{0,40}exceeds|reduce the length of/i;
const wrongKey = /api[ _-]?key (?:not valid|expired|not found)|invalid api[ _-]?key/i;

const causesMax = 5;

/** A failure that would only happen again. */
export function failed(message: string): Failure {
  return { kind: 'failed', message };
}

/** An answer of nothing, where one is needed. `reason`: how the provider says it ended; `wasCutOff`: not because the model was done. */
export function emptyAnswer(reason: string, wasCutOff: boolean): Failure {
  const failure = failed(`the model gave an empty answer (${reason})`);
  return wasCutOff ? failure : { ...failure, isEmpty: true };
}

/** An answer with an error status: rate limits and server faults may pass, everything else will not. */
export function failedWithStatus(status: number, message: string, afterMs?: number): Failure {
  const text = message.trim() === '' ? `HTTP ${status}` : message;
  const cause = causeOf(status, text);
  const mayPass = status === statusTooManyRequests || status >= statusServerFaultMin;
  const said = cause === 'too_long' ? `the conversation is too long for the model: ${text}` : text;
  const failure = { kind: 'failed', message: said, status, ...(cause && { cause }) } as const;
  return mayPass ? { ...failure, retry: afterMs === undefined ? {} : { afterMs } } : failure;
}

function causeOf(status: number, text: string): FailureCause | undefined {
  if (status === statusTooManyRequests) return 'rate_limited';
  if (status >= statusServerFaultMin || status === statusRequestTimeout) return 'unavailable';
  if (refusedForAccount.has(status) || wrongKey.test(text)) return 'unauthorized';
  if (status === statusNotFound) return 'unknown_model';
  return tooLong.test(text) ? 'too_long' : undefined;
}

/** A stream that ended before the answer was complete. */
export function brokenOff(): Failure {
  return {
    kind: 'failed',
    message: 'the connection ended in the middle of the answer',
    cause: 'unavailable',
    retry: {},
  };
}

/** An answer that is not of the provider's protocol; the same request would get the same. */
export function unreadable(why: string): Failure {
  return failed(`the answer could not be read: ${why}`);
}

/** An error of the transport or of reading what came; lost connections may pass. */
export function failedWith(error: unknown): Failure {
  const problem = connectionProblem(error);
  if (problem !== undefined)
    return { kind: 'failed', message: `connection failed: ${problem}`, cause: 'unavailable', retry: {} };
  // The runtime shows a piece of what is no JSON: half of a key may be in it.
  if (error instanceof SyntaxError) return unreadable('it is no JSON');
  return failed(error instanceof Error ? error.message : String(error));
}

/** Looks for a network error in an error and its causes. */
function connectionProblem(error: unknown): string | undefined {
  let current = error;
  let lost = false;
  let why = 'no connection to the model API';
  for (let depth = 0; depth < causesMax && current instanceof Error; depth += 1) {
    const code = 'code' in current && typeof current.code === 'string' ? current.code : '';
    if (/^(?:E[A-Z]+|UND_ERR_[A-Z_]+)$/.test(code)) return `${code} (${current.message})`;
    if (lost) why = current.message;
    lost ||= current instanceof TypeError && /^(?:fetch failed|terminated|network error)$/i.test(current.message);
    current = current.cause;
  }
  return lost ? why : undefined;
}
