import type { FetchLike } from '@modelcontextprotocol/client';
import { JsonValueCounter } from '@stopgo/core';
import { connectionFailure, shownUrl } from '@stopgo/security';
import type { BridgeBounds } from '../bounds.ts';
import { NotAllowed, NotSent, RedirectRefused } from '../failures.ts';
import { type CallScope, callScope } from '../questions/call-scope.ts';
import { EventLength } from './event-length.ts';
import { type Connections, fetchOver } from './own-fetch.ts';

type AnswerBounds = Pick<BridgeBounds, 'messageBytesMax' | 'messageValuesMax'>;

/** What such a `fetch` is made of. */
export type HttpFetchOptions = AnswerBounds & {
  /** Requests that may be open at the same time: a server that asks us without end gets no socket for each answer. */
  readonly requestsOpenMax: number;
  readonly connections: Connections;
  /** Token of the caller that the whole connection is for; absent: each call brings its own. */
  readonly token?: string | undefined;
  /** Whether requests may bring credentials already; those of the call they belong to come before them. */
  readonly keepsAuthorization?: boolean;
};

/**
 * The `fetch` of a connection to one server: adds the token of the call that a request belongs to, never follows a
 * redirect, bounds what is read, and tells "never sent" from "lost".
 *
 * @throws NotSent, NotAllowed, RedirectRefused, or what `fetch` throws.
 */
export function createHttpFetch({
  messageBytesMax,
  messageValuesMax,
  requestsOpenMax,
  connections,
  token,
  keepsAuthorization = false,
}: HttpFetchOptions): FetchLike {
  let open = 0;
  const begin = (scope: CallScope | undefined) => {
    open += 1;
    change(scope, 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      open -= 1;
      change(scope, -1);
    };
  };
  return async (url, init) => {
    const scope = callScope.getStore();
    const headers = new Headers(init?.headers);
    if (!keepsAuthorization) headers.delete('authorization');
    const brought = scope?.token ?? token;
    if (brought !== undefined) headers.set('authorization', `Bearer ${brought}`);
    if (open >= requestsOpenMax) throw new NotSent(`${requestsOpenMax} requests to ${shownUrl(url)} are open already`);
    const end = begin(scope);
    let response: Response;
    try {
      response = await fetchOver(connections, url, { ...init, headers, redirect: 'manual' });
    } catch (error) {
      end();
      const forbidden = notAllowed(error);
      if (forbidden !== undefined) throw forbidden;
      if (isPortRefused(error))
        throw new NotAllowed(
          `no request is made to ${shownUrl(url)}: its port is one of those that HTTP never goes to`,
        );
      const failure = connectionFailure(error);
      if (failure === undefined) throw error;
      const { code, wasNeverMade } = failure;
      if (wasNeverMade) throw new NotSent(`no connection to ${shownUrl(url)} (${code})`);
      throw new Error(`connection to ${shownUrl(url)} lost (${code})`);
    }
    if (response.status >= 300 && response.status < 400 && response.status !== 304) {
      end();
      await response.body?.cancel().catch(() => undefined);
      throw new RedirectRefused(
        `${shownUrl(url)} answered with a redirect (HTTP ${response.status}) to ${targetOf(url, response)}; ` +
          'redirects are not followed: configure the address that it points to, if you trust it',
      );
    }
    return bounded(response, { messageBytesMax, messageValuesMax }, scope, end);
  };
}

function change(scope: CallScope | undefined, by: number): void {
  if (scope === undefined) return;
  scope.requestsOpen += by;
  scope.onChange();
}

/**
 * The same response with its body counted. Outside of a call an event stream lives as long as the connection: there it is each
 * event that is bounded. JSON values are counted for each event everywhere: each is parsed by itself. `end` is called when nothing
 * more is read.
 */
function bounded(
  response: Response,
  { messageBytesMax, messageValuesMax }: AnswerBounds,
  scope: CallScope | undefined,
  end: () => void,
): Response {
  if (response.body === null) {
    end();
    return response;
  }
  const { status, statusText, headers, ok } = response;
  const isEvents = /^text\/event-stream/i.test(headers.get('content-type') ?? '');
  const lasts = scope === undefined && isEvents;
  const values = new JsonValueCounter(isEvents);
  const event = new EventLength();
  const reader = response.body.getReader();
  let bytes = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (done) {
          controller.close();
          end();
          return;
        }
        bytes = lasts ? event.after(value) : bytes + value.byteLength;
        const excess =
          bytes > messageBytesMax
            ? `${messageBytesMax} bytes`
            : values.add(value) > messageValuesMax
              ? `${messageValuesMax} JSON values`
              : undefined;
        if (excess === undefined) return controller.enqueue(value);
        // A refusal says by its status what became of the call, however long its words are.
        if (scope !== undefined && ok) scope.oversize = excess;
        await reader.cancel().catch(() => undefined);
        throw new Error(`the answer has more than ${excess}`);
      } catch (error) {
        controller.error(error);
        end();
      }
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason).catch(() => undefined);
    },
  });
  return new Response(body, { status, statusText, headers });
}

function targetOf(url: string | URL, response: Response): string {
  const location = response.headers.get('location');
  if (location === null || !URL.canParse(location, String(url))) return 'nowhere';
  return shownUrl(new URL(location, url));
}

function notAllowed(error: unknown): NotAllowed | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (at instanceof NotAllowed) return at;
  return undefined;
}

/** `fetch` refuses some ports, whatever listens there, as those of other protocols; it says so in words only. */
function isPortRefused(error: unknown): boolean {
  return error instanceof TypeError && error.cause instanceof Error && error.cause.message === 'bad port';
}
