import { ApiError, NotReached, StrangeAnswer } from './errors.ts';
import { exactJson, parseExact } from './exact-json.ts';
import { errorOf, type Failure, refused, unanswered, wantedPauseMs } from './failure.ts';
import { keyedOperations } from './gen/description.ts';
import { LinkedSignal } from './linked-signal.ts';
import { pauseAfter, type Retries, realTiming, type Timing, usualRetries } from './timing.ts';

/** Who asks: an API key, a bearer token, or a function that gives the headers of each request. */
export type Credentials =
  | { readonly apiKey: string }
  | { readonly bearerToken: string }
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

export type ConnectionOptions = {
  /** Where the platform is, such as `http://127.0.0.1:8080`; in a page also a path of its own origin, such as `/api`. */
  readonly url: string;
  /** None where nobody signs in. */
  readonly credentials?: Credentials;
  /**
   * Told of a request that is refused with 401, once for each try: true if the credentials are new now, and it may be sent once more. Who signs
   * in for a while only has a token renewed here.
   */
  readonly renew?: (refusal: ApiError) => boolean | Promise<boolean>;
  /** What differs from the usual retries. */
  readonly retries?: Partial<Retries>;
  /** How long one try waits for its whole answer, in milliseconds; 150,000 if absent. The platform waits for a run for two minutes. */
  readonly answerMs?: number;
  /** Told of each refusal that whoever asked is told, too. */
  readonly onRefused?: (refusal: ApiError) => void;
  readonly timing?: Partial<Timing>;
  readonly fetch?: typeof fetch;
  /** A new key for each request that changes something: 16 to 128 visible ASCII characters that nobody guesses. */
  readonly newKey?: () => string;
};

/** What goes with a request. */
export type Asking = {
  /** The same for each try of one request, which is done once; a new one if absent. */
  readonly key?: string;
  /** How it is to be answered: `respond-async`, `wait=SECONDS`, `return=minimal`. */
  readonly prefer?: string;
  /** The name of who acts, where nobody signs in. */
  readonly approver?: string;
  readonly session?: string;
  /** What differs from the retries of the connection. */
  readonly retries?: Partial<Retries>;
  /** Asked before each further try, with what the last one met, and how many there were; false: there is none. */
  readonly mayRetry?: (error: ApiError | NotReached, tries: number) => boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

export type Sent = Asking & {
  /** POST if there is a body, else GET. */
  readonly method?: string;
  /** A value, or JSON text that is sent as it is. */
  readonly body?: object | string;
};

export type Answered<Body> = { readonly status: number; readonly headers: Headers; readonly body: Body };

const answerMsUsual = 150_000;

/** A key under which a request is done once, however often it is sent. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Asks one platform: again where it was not reached, under one key, so that each thing is done once. */
export class Connection {
  readonly timing: Timing;
  readonly retries: Retries;
  readonly #base: string;
  readonly #credentials: Credentials | undefined;
  readonly #renew: NonNullable<ConnectionOptions['renew']>;
  readonly #answerMs: number;
  readonly #onRefused: (refusal: ApiError) => void;
  readonly #fetch: typeof fetch;
  readonly #newKey: () => string;

  /** @throws TypeError if the address holds a name or a password. */
  constructor(options: ConnectionOptions) {
    this.#base = addressOf(options.url);
    this.#credentials = options.credentials;
    this.#renew = options.renew ?? (() => false);
    this.timing = { ...realTiming, ...options.timing };
    this.retries = { ...usualRetries, ...options.retries };
    this.#answerMs = options.answerMs ?? answerMsUsual;
    this.#onRefused = options.onRefused ?? (() => undefined);
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#newKey = options.newKey ?? newKey;
  }

  /** What the platform answers at a path. @throws as `exchange`. */
  async ask<Body>(path: string, sent: Sent = {}): Promise<Body> {
    return (await this.exchange<Body>(path, sent)).body;
  }

  /**
   * The same with status and headers.
   *
   * @throws ApiError if the platform refuses it; NotReached if it did not happen; OutcomeUnknown if nobody knows; or the reason of the signal.
   */
  async exchange<Body>(path: string, sent: Sent = {}): Promise<Answered<Body>> {
    const method = sent.method ?? (sent.body === undefined ? 'GET' : 'POST');
    const isRead = method === 'GET' || method === 'HEAD';
    const key = sent.key ?? (method === 'POST' ? this.#newKey() : undefined);
    const isKeyed = key !== undefined && takesKey(method, path);
    const retries = { ...this.retries, ...sent.retries };
    const began = this.timing.now();
    let wasMaybeTaken = false;
    for (let tries = 1; ; tries += 1) {
      let tried = await this.#try<Body>(path, method, sent, key);
      if ('problem' in tried && (await this.#isRenewed(tried.problem)))
        tried = await this.#try<Body>(path, method, sent, key);
      if ('body' in tried) return tried;
      wasMaybeTaken ||= tried.maybeTaken;
      const error = errorOf(tried, { isRead, wasMaybeTaken, ...(isKeyed ? { key } : {}) });
      const pause = this.#pauseAfter(tries, tried, retries, began);
      // What may have been taken, and no key tells that it is the same, is not sent twice.
      const isLast = pause === undefined || (!isRead && !isKeyed && wasMaybeTaken);
      if (isLast || sent.mayRetry?.(error, tries) === false) throw this.#told(error);
      await this.timing.sleep(pause, sent.signal);
      sent.signal?.throwIfAborted();
    }
  }

  /** Opens an event stream, once. @throws ApiError, NotReached, or the reason of the signal. */
  async open(path: string, sent: Pick<Sent, 'headers' | 'signal'>): Promise<ReadableStream<Uint8Array>> {
    const response = await this.read(path, { ...sent, accept: 'text/event-stream' });
    const { headers, body } = response;
    if (body !== null && headers.get('content-type')?.startsWith('text/event-stream')) return body;
    throw new NotReached(new StrangeAnswer(response, await response.text().catch(() => '')));
  }

  /**
   * An answer that is good, and whose content, such as that of a file, is still to be read. It is asked for once.
   *
   * @throws ApiError, NotReached, or the reason of the signal.
   */
  async read(
    path: string,
    sent: Pick<Sent, 'headers' | 'signal'> & { readonly accept?: string } = {},
  ): Promise<Response> {
    const found = await this.#read(path, sent);
    if ('body' in found) return found;
    const again = (await this.#isRenewed(found.problem)) ? await this.#read(path, sent) : found;
    if ('body' in again) return again;
    throw this.#told(errorOf(again, { isRead: true, wasMaybeTaken: false }));
  }

  async #read(
    path: string,
    { accept = '*/*', ...sent }: Pick<Sent, 'headers' | 'signal'> & { readonly accept?: string },
  ): Promise<Response | Failure> {
    const asked = { headers: await this.#headers(accept, sent), cache: 'no-store' } as const;
    try {
      const response = await this.#send(path, {
        ...asked,
        ...(sent.signal === undefined ? {} : { signal: sent.signal }),
      });
      if (response.ok) return response;
      const text = await response.text();
      return refused(response, text, objectIn(text));
    } catch (error) {
      sent.signal?.throwIfAborted();
      return unanswered(error);
    }
  }

  #told(error: ApiError | NotReached): ApiError | NotReached {
    if (error instanceof ApiError) this.#onRefused(error);
    return error;
  }

  /** Whether whoever was refused so may ask once more. */
  async #isRenewed(problem: unknown): Promise<boolean> {
    return problem instanceof ApiError && problem.status === 401 && (await this.#renew(problem));
  }

  /** How long until the next try, in milliseconds; undefined if there is none. */
  #pauseAfter(tries: number, { problem, mayPass }: Failure, retries: Retries, began: number): number | undefined {
    const { triesMax, totalMs } = retries;
    if (!mayPass || tries >= triesMax) return undefined;
    const pause = Math.max(wantedPauseMs(problem), pauseAfter(tries, retries, this.timing.random()));
    return this.timing.now() - began + pause > totalMs ? undefined : pause;
  }

  async #try<Body>(
    path: string,
    method: string,
    { body, ...sent }: Sent,
    key: string | undefined,
  ): Promise<Answered<Body> | Failure> {
    const asked = await this.#headers('application/json', sent, key, body !== undefined);
    const link = new LinkedSignal(sent.signal);
    const answered = new AbortController();
    void this.timing.sleep(this.#answerMs, answered.signal).then(() => {
      if (!answered.signal.aborted) link.abort(new Error(`no answer within ${this.#answerMs} ms`));
    });
    let response: Response;
    let text: string;
    try {
      const content = body === undefined ? {} : { body: typeof body === 'string' ? body : exactJson(body) };
      response = await this.#send(path, { method, headers: asked, signal: link.signal, ...content });
      text = await response.text();
    } catch (error) {
      sent.signal?.throwIfAborted();
      return unanswered(error);
    } finally {
      answered.abort();
      link.release();
    }
    const answer = objectIn(text);
    const isEmpty = response.status === 204 || method === 'HEAD';
    if (!response.ok || (answer === undefined && !isEmpty)) return refused(response, text, answer);
    return { status: response.status, headers: response.headers, body: answer as Body };
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    // A key is not for wherever an answer leads on to.
    return await this.#fetch(`${this.#base}${path}`, { ...init, redirect: 'error' });
  }

  async #headers(
    accept: string,
    { prefer, approver, session, headers = {} }: Asking,
    key?: string,
    hasBody = false,
  ): Promise<Record<string, string>> {
    const said = { Prefer: prefer, 'X-Approver': approver, 'X-Session-ID': session, 'Idempotency-Key': key };
    const given = Object.entries(said).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    return {
      Accept: accept,
      ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
      ...Object.fromEntries(given),
      ...(await headersOf(this.#credentials)),
      ...headers,
    };
  }
}

/** @throws TypeError for what no header takes: the engine's own error would say the secret. */
async function headersOf(credentials: Credentials | undefined): Promise<Readonly<Record<string, string>>> {
  if (credentials === undefined) return {};
  const headers =
    typeof credentials === 'function'
      ? await credentials()
      : 'apiKey' in credentials
        ? { 'X-API-Key': credentials.apiKey }
        : { Authorization: `Bearer ${credentials.bearerToken}` };
  for (const [name, value] of Object.entries(headers))
    if (!/^[\x20-\x7e]*$/.test(value)) throw new TypeError(`the credentials hold a character that ${name} cannot take`);
  return headers;
}

/** An address, without the slash at its end. It is never repeated where it holds a password. */
function addressOf(url: string): string {
  const { username, password } = new URL(url, 'http://origin');
  if (username !== '' || password !== '')
    throw new TypeError('the address of the platform must not hold a name or a password; give credentials instead');
  return url.replace(/\/+$/, '');
}

const keyed = keyedOperations.map((operation) => {
  const pattern = operation.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${pattern}$`);
});

/** Whether a key counts there: a repeat under it is done once. */
const takesKey = (method: string, path: string): boolean =>
  keyed.some((operation) => operation.test(`${method} ${path.split('?')[0]}`));

function objectIn(text: string): object | undefined {
  try {
    const value = parseExact(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
