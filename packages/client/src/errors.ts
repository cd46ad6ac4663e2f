/** An answer of the platform that says that something did not work, with what it says. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  readonly status: number;
  /** What was answered; `error` in it is the message. */
  readonly body: Readonly<Record<string, unknown>>;
  /** How long the platform wants to be left alone, in milliseconds, where it says so. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, body: Readonly<Record<string, unknown>>, retryAfterMs?: number) {
    super(typeof body.error === 'string' ? body.error : `the platform answered ${status}`);
    this.status = status;
    this.body = body;
    this.retryAfterMs = retryAfterMs;
  }
}

/** What came in the place of an answer: a page of a proxy, or of another program. */
export class StrangeAnswer extends Error {
  override readonly name = 'StrangeAnswer';
  readonly status: number;
  readonly statusText: string;
  /** What it says that it holds; empty if it does not. */
  readonly mediaType: string;
  /** How it begins. */
  readonly text: string;
  /** How long whoever answered wants to be left alone, in milliseconds, where they say so. */
  readonly retryAfterMs: number | undefined;

  constructor({ status, statusText, headers }: Response, text: string) {
    const mediaType = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
    super(`${status} with ${mediaType === '' ? 'a text of no type' : mediaType}, which is no answer of the platform`);
    this.status = status;
    this.statusText = statusText;
    this.mediaType = mediaType;
    this.text = text.slice(0, strangeCharactersMax);
    this.retryAfterMs = retryAfterMs(headers);
  }
}

/** As much of a strange answer is kept. */
const strangeCharactersMax = 2_000;

/** Nobody answered, or somebody who is not the platform: `cause` says which. What was asked for did not happen. */
export class NotReached extends Error {
  override readonly name: string = 'NotReached';

  constructor(cause?: unknown, message = 'the platform does not answer') {
    super(cause === undefined ? message : `${message}: ${reasonOf(cause)}`, { cause });
  }
}

/** Something was sent that changes something, and it is not known whether the platform took it. */
export class OutcomeUnknown extends NotReached {
  override readonly name = 'OutcomeUnknown';
  /** Ask the same with this key, now or later: it is done once. Undefined where no key counts; then look first. */
  readonly key: string | undefined;

  constructor(cause: unknown, key: string | undefined) {
    super(cause, 'it is not known whether the platform took this');
    this.key = key;
  }
}

/** Why, in words: of a name with several addresses each was tried, and says its own. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return cause.errors.map(reasonOf).join(', ');
  if (!(cause instanceof Error)) return String(cause);
  const deeper = cause.cause instanceof Error ? reasonOf(cause.cause) : '';
  return deeper === '' ? cause.message : deeper;
}

/** Seconds, as the platform says them; a date is of somebody else. */
export function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) * 1_000 : undefined;
}
