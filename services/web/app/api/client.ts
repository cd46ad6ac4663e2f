import { parseExact } from './exact-json.ts';
import { apiKey } from './identity.ts';
import { mayGoOn, pageOf } from './login.ts';

/** An answer that says that something did not work, with what it says. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(typeof body.error === 'string' ? body.error : `the platform answered ${status}`);
    this.status = status;
    this.body = body;
  }
}

/** Nobody answered, or somebody who is not the platform. */
export class NotReached extends Error {
  constructor() {
    super('The platform does not answer.');
  }
}

/** Something was sent that changes something, and it is not known whether the platform took it. */
export class OutcomeUnknown extends NotReached {}

/** In answers: the request may have been carried out. */
const mayHaveTakenEffect = /whether this took effect/;

export type Sent = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** A value, or JSON text that is sent as it is. */
  readonly body?: object | string;
  readonly prefer?: string;
  /** The same for each try of one request: the platform does it once. */
  readonly key?: string;
  /** The revision that what is changed must have still. */
  readonly ifRevision?: number;
  readonly signal?: AbortSignal;
};

/** A key under which a request is done once, however often it is sent. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Headers that say who asks: with a key, or as whom the page was made. */
export const signedIn = (): Record<string, string> => (apiKey() === '' ? pageOf() : { 'X-API-Key': apiKey() });

/** Told whenever the platform wants to know who asks, with what it says of why. */
export const onSignInWanted = new Set<(why: string) => void>();

/**
 * Asks the platform; an answer without content is an empty object.
 *
 * @throws ApiError, NotReached (of what changes something OutcomeUnknown), or the reason of the signal.
 */
export async function ask<Answer>(path: string, sent: Sent = {}): Promise<Answer> {
  const { method = 'GET' } = sent;
  let { status, ok, answer } = await once(path, sent);
  if (status === 401 && (await mayGoOn(answer))) ({ status, ok, answer } = await once(path, sent));
  if (status === 401) for (const tell of onSignInWanted) tell(whyIn(answer));
  if (status === 502 || answer === undefined) throw notReached(method);
  if (ok) return answer as Answer;
  const problem = new ApiError(status, answer);
  throw status > 500 && mayHaveTakenEffect.test(problem.message) ? notReached(method) : problem;
}

/** What a person is told of why they have to sign in: nothing where nobody was signed in before. */
export const whyIn = (refusal: Readonly<Record<string, unknown>> | undefined): string =>
  refusal?.session === 'none' || typeof refusal?.error !== 'string' ? '' : refusal.error;

type Answered = {
  readonly status: number;
  readonly ok: boolean;
  readonly answer: Readonly<Record<string, unknown>> | undefined;
};

async function once(path: string, sent: Sent): Promise<Answered> {
  const { method = 'GET', body, prefer, key, ifRevision, signal } = sent;
  try {
    const response = await fetch(`/api${path}`, {
      method,
      headers: {
        Accept: 'application/json',
        ...signedIn(),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(prefer === undefined ? {} : { Prefer: prefer }),
        ...(key === undefined ? {} : { 'Idempotency-Key': key }),
        ...(ifRevision === undefined ? {} : { 'If-Match': `"${ifRevision}"` }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const { status, ok } = response;
    return { status, ok, answer: status === 204 ? {} : objectIn(await response.text()) };
  } catch (error) {
    if (signal?.aborted) throw error;
    throw notReached(method);
  }
}

const notReached = (method: string): NotReached => (method === 'GET' ? new NotReached() : new OutcomeUnknown());

/** The object that a text of JSON holds, with its numbers as they are written. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseExact(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/** What a person is told of an error. */
export function wordsOf(error: unknown): string {
  if (error instanceof OutcomeUnknown)
    return 'The platform does not answer. It may be restarting. What you sent may have been taken: sending it again is safe, it is done only once.';
  if (error instanceof NotReached) return 'The platform does not answer. It may be restarting.';
  const text = error instanceof Error ? error.message : String(error);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`;
}
