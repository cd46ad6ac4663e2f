import { parseJson } from '@stopgo/core';
import type { Clock } from '@stopgo/log';
import { shownUrl } from '@stopgo/security';
import type { BoundedFetch } from '../bounded-fetch.ts';
import { cardTimeoutMs } from './bounds.ts';
import { type Card, cardNameProblem, readCard } from './card.ts';
import { chooseEndpoint, type Endpoint, endpointWithoutCard, isCardFor, pathOf } from './endpoint.ts';
import { NotTaken } from './failures.ts';
import { withinTime } from './time-limit.ts';

const cardNames = ['agent-card.json', 'agent.json'];
/** There is no card there, or none for us. A token is never sent for a card: it is the same for everybody. */
const noCardStatuses: ReadonlySet<number> = new Set([401, 403, 404, 405, 410]);

/**
 * Finds out how to talk to the agent at an address: by the cards at its host and below its path, whichever speaks of that
 * address, else the first there is; an address with a path and without a card is taken as it is.
 *
 * @throws NotTaken with what is wrong and what to do.
 */
export async function discover(
  configured: string,
  fetch: BoundedFetch,
  clock: Clock,
  signal: AbortSignal,
): Promise<Endpoint> {
  const card = await findCard(configured, fetch, clock, signal);
  if (card !== undefined) {
    const endpoint = chooseEndpoint(configured, card);
    if (endpoint !== undefined) return endpoint;
    throw new NotTaken(`the card of ${shownUrl(configured)} names no interface of A2A 1.0 or 0.3`);
  }
  if (pathOf(configured) !== '') return endpointWithoutCard(configured);
  throw new NotTaken(`${shownUrl(configured)} has no agent card: configure the whole address of the agent`);
}

async function findCard(
  configured: string,
  fetch: BoundedFetch,
  clock: Clock,
  signal: AbortSignal,
): Promise<Card | undefined> {
  let first: Card | undefined;
  for (const url of cardUrls(configured)) {
    const card = await withinTime(clock, cardTimeoutMs, 'the agent card', signal, (over) => cardAt(url, fetch, over));
    if (card !== undefined && isCardFor(configured, card)) return card;
    first ??= card;
  }
  return first;
}

/** Where a card may be: at the host, where the path ends, and beside its last part. */
export function cardUrls(configured: string): string[] {
  const path = pathOf(configured);
  const parent = path.replace(/\/[^/]*$/, '');
  return [...new Set(['', path, parent])].flatMap((folder) =>
    cardNames.map((name) => new URL(`${folder}/.well-known/${name}`, configured).href),
  );
}

async function cardAt(url: string, fetch: BoundedFetch, signal: AbortSignal): Promise<Card | undefined> {
  const wrong = (why: string) => new NotTaken(`its card at ${shownUrl(url)} ${why}`, true);
  const headers = { accept: 'application/json', 'a2a-version': '1.0' };
  try {
    const response = await fetch(url, { headers, signal });
    if (!response.ok) {
      await response.body?.cancel().catch(() => undefined);
      if (noCardStatuses.has(response.status)) return undefined;
      throw wrong(`cannot be read: HTTP ${response.status}`);
    }
    const json = parseJson(await response.text());
    // A host that answers everything with a page has no card.
    if (json === undefined) return undefined;
    const card = readCard(json);
    if (card === undefined) throw wrong('is none');
    const problem = cardNameProblem(json);
    if (problem !== undefined) throw wrong(problem);
    return card;
  } catch (error) {
    // Whatever went wrong: no message has been sent by that.
    if (error instanceof NotTaken) throw error;
    throw wrong(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
