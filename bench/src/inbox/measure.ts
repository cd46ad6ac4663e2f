import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient } from '../http-client.ts';
import type { ReadFigures } from '../measure-reads.ts';
import type { Platform } from '../platform.ts';
import type { Sizes } from '../sizes.ts';
import { timedReads } from '../timed-reads.ts';
import { concurrently, destructive, openClients } from '../turn.ts';
import type { People } from './people.ts';

/** The lists and counts of people, while so many approvals wait. */
export type InboxFigures = {
  readonly waiting: number;
  readonly groups: number;
  readonly seedSeconds: number;
  readonly reads: readonly ReadFigures[];
};

/** Groups, each with a rule that has it decide; the approvals are of all of them in turn. */
const groups = Array.from({ length: 400 }, (_, index) => `g${index}`);
const connections = 50;
const settleMs = 1_000;

/** Rules that have each approval decided by one group. */
export const inboxRules: object = {
  rules: groups.map((group) => ({
    ...{ name: group, tool: 'erase', when: `args.note.startsWith("note-${group}-")` },
    ...{ verdict: 'ask', approvers: [`group:${group}`] },
  })),
};

/** Has somebody ask for as much as the sizes say, through the API; then others read what waits for them. */
export async function measureInbox(
  { address }: Platform,
  { tokenOf }: People,
  { inbox: waiting, reads }: Sizes,
): Promise<InboxFigures> {
  const [owner, one, many] = [tokenOf('owner', []), tokenOf('one', groups.slice(0, 1)), tokenOf('many', groups)];
  const clients = await openClients(address, connections, owner);
  const began = performance.now();
  try {
    await concurrently(clients, Array.from({ length: waiting }), async (client, _, index) => {
      const message = destructive(`${groups[index % groups.length]}-${index}`);
      const { status, body } = await client.post('/conversations', { message });
      if (status !== 201 || !body.includes('"waiting_approval":true'))
        throw new Error(`create: HTTP ${status} ${body}`);
    });
  } finally {
    for (const client of clients) client.close();
  }
  const seedSeconds = (performance.now() - began) / 1_000;
  await delay(settleMs);
  // A connection of its own each: the platform closes those that rest.
  const as = async <T>(token: string, ask: (client: HttpClient) => Promise<T>): Promise<T> => {
    const client = await HttpClient.open(address, token);
    return ask(client).finally(() => client.close());
  };
  const read = async (request: string, token: string, path: string): Promise<ReadFigures> => ({
    request,
    ...(await as(token, (client) => timedReads(client, reads, () => path))),
  });
  const mine = '/approvals?limit=100&may_decide=me';
  const figures = [
    await read(
      'GET /approvals?limit=100&status=pending, of whose they are',
      owner,
      '/approvals?limit=100&status=pending',
    ),
    await read('…&may_decide=me, in one group', one, mine),
    await read(`the same, in ${groups.length} groups`, many, mine),
    await read('…&may_decide=me&tool=other, of which there is none, in one group', one, `${mine}&tool=other`),
    await read(`the same, in ${groups.length} groups`, many, `${mine}&tool=other`),
    await read('GET /approvals/counts, of whose they are', owner, '/approvals/counts'),
    await read('the same, in one group', one, '/approvals/counts'),
    await read(`the same, in ${groups.length} groups`, many, '/approvals/counts'),
  ];
  const counted = await as(many, (client) => client.get('/approvals/counts'));
  const { counts } = JSON.parse(counted.body) as { counts: { may_decide: number } };
  if (counts.may_decide !== waiting) throw new Error(`${waiting} wait, and the counts say ${counts.may_decide}`);
  return { waiting, groups: groups.length, seedSeconds, reads: figures };
}
