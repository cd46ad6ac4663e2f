import { setTimeout as delay } from 'node:timers/promises';
import type { HttpClient } from './http-client.ts';
import type { Platform } from './platform.ts';
import { memoryMb } from './process-usage.ts';
import type { Quantiles } from './quantiles.ts';
import type { Sizes } from './sizes.ts';
import { scattered, timedReads } from './timed-reads.ts';
import { concurrently, destructive, openClients } from './turn.ts';

/** One kind of request; times in milliseconds. */
export type ReadFigures = Quantiles & { readonly request: string; readonly bytes: number };

export type StoredFigures = {
  readonly conversations: number;
  readonly seedSeconds: number;
  readonly rssMb: number;
  readonly reads: readonly ReadFigures[];
};

const connections = 50;
/** One conversation in so many is left waiting for its approval. */
const waitingEvery = 10;
const settleMs = 1_000;

/** Stores conversations through the API, then reads them. */
export async function measureReads({ address, pid }: Platform, { stored, reads }: Sizes): Promise<StoredFigures> {
  const clients = await openClients(address, connections);
  try {
    const began = performance.now();
    const ids: string[] = [];
    await concurrently(clients, Array.from({ length: stored }), async (client, _, index) => {
      const message =
        index % waitingEvery === 0
          ? destructive(String(index))
          : `note number ${index} is about ${index % 7 === 0 ? 'pelicans' : 'herons'} and their nests`;
      const { status, body } = await client.post('/conversations', { message });
      if (status !== 201) throw new Error(`create: HTTP ${status} ${body}`);
      ids.push((JSON.parse(body) as { conversation: { id: string } }).conversation.id);
    });
    const seedSeconds = (performance.now() - began) / 1_000;
    await delay(settleMs);
    const client = clients[0] as HttpClient;
    const read = async (request: string, path: (index: number) => string): Promise<ReadFigures> => ({
      request,
      ...(await timedReads(client, reads, path)),
    });
    const cursor = await middleOf(client, stored);
    const figures = [
      await read('GET /health', () => '/health'),
      await read('GET /conversations/:id', (index) => `/conversations/${scattered(ids, index)}`),
      await read('GET /conversations?limit=100', () => '/conversations?limit=100'),
      await read('…&status=waiting_approval', () => '/conversations?limit=100&status=waiting_approval'),
      await read('…&q=pelicans (one in seven)', () => '/conversations?limit=100&q=pelicans'),
      await read('…&q=4711 (one)', (index) => `/conversations?limit=100&q=${(index * 7_919) % stored}`),
      await read('…&cursor= (the middle)', () => `/conversations?limit=100&cursor=${cursor}`),
      await read('GET /tools', () => '/tools'),
    ];
    return { conversations: stored, seedSeconds, rssMb: memoryMb(pid).now, reads: figures };
  } finally {
    for (const client of clients) client.close();
  }
}

/** Pages through half of the list. */
async function middleOf(client: HttpClient, stored: number): Promise<string> {
  let cursor = '';
  for (let seen = 0; seen < stored / 2; seen += 100) {
    const { body } = await client.get(`/conversations?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
    cursor = encodeURIComponent((JSON.parse(body) as { next_cursor?: string }).next_cursor ?? '');
  }
  return cursor;
}
