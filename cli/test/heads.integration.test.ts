import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conversationStream, DomainError, fact, newEvents } from '@stopgo/core';
import { store } from '@stopgo/proto';
import { type Client, createInProcessClient } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { startStore } from '@stopgo/store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readHeads } from '../src/inspect/heads.ts';
import { verify } from '../src/inspect/verify.ts';

/** Heads that are kept elsewhere show what a log that was written anew as a whole does not show of itself. */
let folder: string;
let stops: (() => Promise<void>)[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stopgo-heads-'));
  stops = [];
});

afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  rmSync(folder, { recursive: true });
});

/** A log of its own that holds these conversations, each with so many messages of this text. */
async function logOf(name: string, conversations: Readonly<Record<string, readonly string[]>>) {
  const log = createLogger({ level: 'error', format: 'text', destination: process.stderr });
  const running = await startStore({ dataDir: join(folder, name), log });
  stops.push(running.stop);
  const client = createInProcessClient(store.StoreService, running.service);
  for (const [id, texts] of Object.entries(conversations)) await say(client, id, 0, texts);
  return { client, close: async () => undefined };
}

async function say(client: Client<typeof store.StoreService>, id: string, from: number, texts: readonly string[]) {
  const actor = { kind: 'user', id: 'ann', surface: 'rest' } as const;
  const facts = texts.map((text, index) =>
    from + index === 0
      ? fact('conversationCreated', { conversationId: id, agentName: text })
      : fact('userMessageReceived', { runId: randomUUID(), text }),
  );
  const frame = { now: 0, actor, causationId: '', correlationId: 's' };
  const events = newEvents(
    facts,
    frame,
    facts.map(() => randomUUID()),
  );
  const append = { stream: conversationStream(id), expectedRevision: from, events, idempotencyKey: randomUUID() };
  expect((await client.append(append)).outcome.case).toBe('appended');
}

async function run(opened: Parameters<typeof verify>[0], options: Parameters<typeof verify>[3], id?: string) {
  const lines: string[] = [];
  const good = await verify(opened, id, (line) => void lines.push(line), options);
  return { good, lines };
}

/** What `verify --heads` wrote of a log, read back. */
async function headsOf(opened: Parameters<typeof verify>[0]) {
  const file = join(folder, 'heads');
  writeFileSync(file, (await run(opened, { heads: true })).lines.join('\n'));
  return new Map(readHeads(file));
}

const [one, other] = [randomUUID(), randomUUID()].toSorted() as [string, string];

test('a log that has grown goes on from its heads', async () => {
  const log = await logOf('log', { [one]: ['a', 'b'], [other]: ['c'] });
  const heads = await headsOf(log);
  expect([...heads].map(([stream, { revision }]) => [stream, revision])).toEqual([
    [conversationStream(one), 2],
    [conversationStream(other), 1],
  ]);
  await say(log.client, one, 2, ['more']);
  expect(await run(log, { against: heads })).toEqual({
    good: true,
    lines: ['2 streams, 4 events, compared with 2 heads: every hash chain holds and every view equals its events'],
  });
});

test('a log that was written anew is sound in itself, and is not the one whose heads were kept', async () => {
  const heads = await headsOf(await logOf('before', { [one]: ['a', 'b', 'c'], [other]: ['d'] }));
  const forged = await logOf('after', { [one]: ['a', 'changed', 'c'] });
  expect((await run(forged, {})).good).toBe(true);
  expect(await run(forged, { against: heads })).toEqual({
    good: false,
    lines: [
      `${conversationStream(one)}: has another event at revision 3 than before: what is up to there was written anew`,
      `${conversationStream(other)}: had 1 event before, and is gone`,
      '1 stream, 3 events, compared with 2 heads: 2 problems',
    ],
  });
});

test('an end that was cut off shows', async () => {
  const long = await logOf('long', { [one]: ['a', 'b'] });
  const heads = await headsOf(long);
  const short = await logOf('short', { [one]: ['a'] });
  expect((await run(short, { against: heads }, one)).lines[0]).toBe(
    `${conversationStream(one)}: ended at revision 2 before, and does not reach that any more: its end was cut off`,
  );
});

test('a stream whose event cannot be read is a problem, and the others are compared', async () => {
  const log = await logOf('log', { [one]: ['a', 'b'], [other]: ['c'] });
  const heads = await headsOf(log);
  const readStream: typeof log.client.readStream = async (request, options) => {
    if (request.stream === conversationStream(one)) throw new DomainError('data_loss', 'message 2 is gone');
    return log.client.readStream(request, options);
  };
  const lines = (await run({ ...log, client: { ...log.client, readStream } }, { heads: true, against: heads })).lines;
  expect(lines).toEqual([
    `${conversationStream(one)}: its event at revision 2, where it ended before, cannot be read: message 2 is gone`,
    expect.stringMatching(` {2}1 {2}${conversationStream(other)}$`),
    '2 streams, 3 events, compared with 2 heads: 1 problem',
  ]);
});

test('an event that is gone is told as that, and not as the one after it', async () => {
  const log = await logOf('log', { [one]: ['a', 'b', 'c'] });
  const heads = new Map([[conversationStream(one), { revision: 2, hash: '0'.repeat(64) }]]);
  const readStream: typeof log.client.readStream = (request, options) =>
    log.client.readStream({ ...request, fromRevision: 3 }, options);
  expect((await run({ ...log, client: { ...log.client, readStream } }, { against: heads })).lines[0]).toBe(
    `${conversationStream(one)}: its event at revision 2, where it ended before, is gone`,
  );
});

test('no head is printed of a stream with problems', async () => {
  await logOf('log', { [one]: ['a', 'text of this one', 'c'], [other]: ['d'] });
  await stops.pop()?.();
  const file = join(folder, 'log', 'stopgo.db');
  writeFileSync(file, readFileSync(file, 'latin1').replaceAll('text of this one', 'text of that one'), 'latin1');
  const { good, lines } = await run(await logOf('log', {}), { heads: true });
  expect(good).toBe(false);
  expect(lines.filter((line) => /^[0-9a-f]{64} /.test(line))).toEqual([
    expect.stringMatching(` {2}1 {2}${conversationStream(other)}$`),
  ]);
});

test('of one stream, nothing but its own head is compared, and there must be one', async () => {
  const log = await logOf('log', { [one]: ['a', 'b'], [other]: ['c'] });
  const heads = await headsOf(log);
  expect(await run(log, { against: heads }, one)).toEqual({
    good: true,
    lines: ['1 stream, 2 events, compared with 1 head: every hash chain holds and every view equals its events'],
  });
  heads.delete(conversationStream(one));
  await expect(run(log, { against: heads }, one)).rejects.toThrow(
    `--against: its file holds no head of ${conversationStream(one)}; without an ID all of its heads are compared`,
  );
});

test('a file without heads is refused', () => {
  const file = join(folder, 'none');
  expect(() => readHeads(file)).toThrow(
    /^--against .*: there is no such file; `stopgo verify --heads > FILE` writes one$/,
  );
  writeFileSync(file, '3 streams, 14 events: every hash chain holds\n');
  expect(() => readHeads(file)).toThrow('it holds no head; `stopgo verify --heads` writes them');
});
