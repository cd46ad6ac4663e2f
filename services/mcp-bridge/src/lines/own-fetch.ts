import { type Dispatcher, fetch } from 'undici';

/** What requests take their connections from. */
export type Connections = Dispatcher;

/**
 * `fetch` over given connections. It is of the package that makes them: Node's own takes those of its own version of that package
 * only, and which one that is follows from the version of Node (decision 0036).
 *
 * @throws what `fetch` throws.
 */
export async function fetchOver(
  dispatcher: Connections,
  url: string | URL,
  init: RequestInit | undefined,
): Promise<Response> {
  // The types of Node's `fetch` are of another version of the package than its own.
  const answer: unknown = await fetch(url, { ...init, dispatcher } as Parameters<typeof fetch>[1]);
  return answer as Response;
}
