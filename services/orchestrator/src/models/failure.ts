import type { Attempt } from './retry.ts';

type Failure = Extract<Attempt<never>, { kind: 'failed' }>;

const statusTooManyRequests = 429;
const statusServerFaultMin = 500;
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
  const mayPass = status === statusTooManyRequests || status >= statusServerFaultMin;
  if (!mayPass) return { kind: 'failed', message: text, status };
  return { kind: 'failed', message: text, status, retry: afterMs === undefined ? {} : { afterMs } };
}

/** A stream that ended before the answer was complete. */
export function brokenOff(): Failure {
  return { kind: 'failed', message: 'the connection ended in the middle of the answer', retry: {} };
}

/** An answer that is not of the provider's protocol; the same request would get the same. */
export function unreadable(why: string): Failure {
  return failed(`the answer could not be read: ${why}`);
}

/** An error of the transport or of reading what came; lost connections may pass. */
export function failedWith(error: unknown): Failure {
  const problem = connectionProblem(error);
  if (problem !== undefined) return { kind: 'failed', message: `connection failed: ${problem}`, retry: {} };
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
