import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiError, createClient, NotReached } from '../src/index.ts';
import { answers, breaksOff, OwnTime, ScriptedPlatform, staysOpen, streams } from './platform.ts';

let platform: ScriptedPlatform;
let time: OwnTime;
let leaving: AbortController;

beforeEach(async () => {
  platform = await ScriptedPlatform.open();
  time = new OwnTime();
  leaving = new AbortController();
});
afterEach(() => platform.close());

const clientOf = () => createClient({ url: platform.url, timing: time, credentials: { apiKey: 'k' } });
const event = (revision: number) =>
  `id: ${revision}\nevent: run_started\ndata: ${JSON.stringify({ revision, type: 'run_started' })}\n\n`;
const delta = (text: string) => `event: delta\ndata: ${JSON.stringify({ text, offset: 0 })}\n\n`;
const hello = 'retry: 1000\n\n';
const lastIds = () => platform.sent('last-event-id');

/** What a conversation tells until the event with this revision. */
async function told(until: number, after?: number): Promise<(number | string)[]> {
  const found: (number | string)[] = [];
  const options = { signal: leaving.signal, ...(after === undefined ? {} : { after }) };
  for await (const news of clientOf().conversations.events('c', options)) {
    found.push(news.kind === 'event' ? news.event.revision : news.delta.text);
    if (news.kind === 'event' && news.event.revision === until) break;
  }
  return found;
}

describe('the events of a conversation', () => {
  test('are each told once and in order, wherever the connection breaks', async () => {
    const third = event(3);
    platform.will(
      streams(hello, event(1), delta('He'), event(2), third.slice(0, 20)),
      breaksOff,
      answers(503, { error: 'the platform stops' }),
      streams(hello, third.slice(0, 40)),
      // A platform that tells what was told.
      streams(hello, event(2), event(3), event(4).slice(0, -1)),
      streams(': heartbeat\n\n', event(4), event(5)),
    );
    expect(await told(5)).toEqual([1, 'He', 2, 3, 4, 5]);
    expect(lastIds()).toEqual([undefined, '2', '2', '2', '2', '3']);
    expect(platform.sent('x-api-key')).toEqual(Array(6).fill('k'));
  });

  test('are whole where a character is cut in two', async () => {
    const bytes = Buffer.from(delta('Grüße 🚀') + event(1));
    const rocket = bytes.indexOf('🚀') + 2;
    // Pieces that a network may join come apart here.
    const pieces = [bytes.subarray(0, rocket), bytes.subarray(rocket)];
    const headers = { 'content-type': 'text/event-stream' };
    const inPieces = async () => new Response(ReadableStream.from(pieces), { headers });
    const client = createClient({ url: platform.url, timing: time, fetch: inPieces });
    const { value } = await client.conversations.events('c', { signal: leaving.signal }).next();
    expect(value).toMatchObject({ kind: 'delta', delta: { text: 'Grüße 🚀' } });
  });

  test('begin where they are wanted', async () => {
    platform.will(streams(event(8), event(9)));
    expect(await told(9, 7)).toEqual([8, 9]);
    expect(lastIds()).toEqual(['7']);
  });

  test('are asked for a few times more where one of several platforms is behind, and then are not there', async () => {
    const behind = answers(400, { error: 'Last-Event-ID 7 is beyond the last event of this conversation, which is 6' });
    platform.will(behind, behind, streams(event(8)), behind);
    expect(await told(8, 7)).toEqual([8]);
    await expect(told(9, 8)).rejects.toThrow('is beyond the last event');
    expect(platform.arrived).toHaveLength(3 + 5);
  });

  test.each([
    [401, ApiError],
    [404, ApiError],
  ])('that are refused with %i are not asked for again', async (status, kind) => {
    platform.will(streams(event(1)), answers(status, { error: 'no' }));
    await expect(told(2)).rejects.toThrow(kind);
    expect(platform.arrived).toHaveLength(2);
  });

  test('are none where something else answers', async () => {
    platform.will(answers(200, '<html>', { 'content-type': 'text/html' }));
    await expect(told(1)).rejects.toThrow(NotReached);
  });

  test('are waited for with longer and longer pauses', async () => {
    platform.will(...Array(7).fill(breaksOff), streams(event(1)), breaksOff, streams(event(2)));
    await told(2);
    expect(time.pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 250, 250]);
  });

  test('are not asked for before the platform, or the page of a proxy, wants to be asked, and no pause is without an end', async () => {
    const page = answers(503, '<html>', { 'content-type': 'text/html', 'retry-after': '7' });
    const soon = answers(503, { error: 'the platform stops' }, { 'retry-after': '1' });
    platform.will(answers(429, { error: 'too many streams' }, { 'retry-after': '30' }), page, soon, streams(event(1)));
    await told(1);
    expect(time.pauses).toEqual([30_000, 7_000, 1_000]);
  });

  test('are not waited for longer than five minutes at once', async () => {
    platform.will(answers(503, { error: 'away' }, { 'retry-after': '86400' }), streams(event(1)));
    await told(1);
    expect(time.pauses).toEqual([300_000]);
  });

  test('are asked for at once when something says that it is worth it, unless the platform wants to be left alone', async () => {
    let listening = 0;
    const wakes = (wake: () => void) => {
      listening += 1;
      setImmediate(wake);
      return () => {
        listening -= 1;
      };
    };
    platform.will(breaksOff, answers(503, { error: 'away' }, { 'retry-after': '60' }), streams(event(1)));
    const paused: (AbortSignal | undefined)[] = [];
    const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
      if (ms === 40_000) return time.sleep(ms, signal);
      paused.push(signal);
      // Nothing else ends the first one.
      if (paused.length === 1) await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    };
    const client = createClient({ url: platform.url, timing: { ...time, sleep } });
    for await (const _ of client.conversations.events('c', { signal: leaving.signal, wakes })) break;
    expect(paused.map((signal) => signal?.aborted)).toEqual([true, false]);
    expect(listening).toBe(0);
  });

  test('are asked for again as long as whoever follows wants it, also where the stream has ended or nobody may see it', async () => {
    platform.will(streams(event(1)), answers(401, { error: 'sign in first' }), answers(404, { error: 'no' }));
    const met: string[] = [];
    const mayPass = (error: unknown): boolean => {
      met.push((error as Error).message);
      return met.length < 3;
    };
    const events = clientOf().conversations.events('c', { signal: leaving.signal, mayPass });
    await expect(
      (async () => {
        for await (const _ of events);
      })(),
    ).rejects.toThrow(ApiError);
    expect(met).toEqual([expect.stringMatching('does not answer'), 'sign in first', 'no']);
  });
});

test('a stream that is refused is opened again where the credentials are renewed, without a pause', async () => {
  let token = 'old';
  platform.will(answers(401, { error: 'expired' }), streams(event(1)), answers(401, { error: 'expired' }));
  const client = createClient({
    url: platform.url,
    timing: time,
    credentials: () => ({ authorization: `Bearer ${token}` }),
    renew: () => {
      const isFirst = token === 'old';
      token = isFirst ? 'new' : 'newer';
      return isFirst;
    },
  });
  const found: unknown[] = [];
  const events = client.conversations.events('c', { signal: leaving.signal });
  await expect(
    (async () => {
      for await (const one of events) found.push(one);
    })(),
  ).rejects.toThrow('expired');
  expect(found).toHaveLength(1);
  expect(platform.sent('authorization')).toEqual(['Bearer old', 'Bearer new', 'Bearer new']);
  expect(time.pauses).toEqual([250]);
});

test('a stream that is silent for too long is opened anew', async () => {
  const silent = staysOpen(event(1));
  platform.will(
    (res, arrived) => {
      silent(res, arrived);
      setImmediate(waitUntilTold);
    },
    streams(event(2)),
  );
  let seen = 0;
  const waitUntilTold = (): void => void (seen === 1 ? time.runOut() : setImmediate(waitUntilTold));
  const states: string[] = [];
  const options = { onState: (state: string) => states.push(state), signal: leaving.signal };
  for await (const news of clientOf().conversations.events('c', options)) {
    seen += news.kind === 'event' ? 1 : 0;
    if (seen === 2) break;
  }
  expect(lastIds()).toEqual([undefined, '1']);
  expect(states).toEqual(['connecting', 'open', 'lost', 'connecting', 'open']);
});

test('whoever leaves, or looks no further, closes the connection', async () => {
  let closed = 0;
  platform.will((res, arrived) => {
    res.once('close', () => {
      closed += 1;
    });
    staysOpen(event(1))(res, arrived);
  });
  expect(await told(1)).toEqual([1]);
  await expect.poll(() => closed).toBe(1);
  const found: unknown[] = [];
  for await (const news of clientOf().conversations.events('c', { signal: leaving.signal })) {
    found.push(news);
    leaving.abort();
  }
  expect(found).toHaveLength(1);
  await expect.poll(() => closed).toBe(2);
});

describe('what becomes of approvals', () => {
  const change = (id: number, word: string, uuid: string) =>
    `id: ${id}\nevent: ${word}\ndata: ${JSON.stringify({ change: word, approval: { uuid } })}\n\n`;

  async function news(until: number): Promise<string[]> {
    const found: string[] = [];
    const filter = { tool: 'pay*' };
    for await (const { place, change: one } of clientOf().approvals.events(filter, { signal: leaving.signal })) {
      found.push(one === undefined ? place : `${place} ${one.change} ${one.approval.uuid}`);
      if (found.length === until) break;
    }
    return found;
  }

  test('begins with a place, goes on after the last one, and tells of changes at one place once', async () => {
    platform.will(
      streams(hello, 'id: 3\n\n', change(3, 'edited', 'a')),
      // The log has both at place 9: until the last one of them is told, the place is the one before.
      streams('id: 3\n\n', change(3, 'edited', 'a')),
      streams('id: 3\n\n', change(3, 'edited', 'a'), change(9, 'asked', 'b'), 'id: 12\n\n'),
      streams('id: 12\n\n', change(14, 'edited', 'a')),
    );
    expect(await news(5)).toEqual(['3', '3 edited a', '9 asked b', '12', '14 edited a']);
    expect(lastIds()).toEqual([undefined, '3', '3', '12']);
    expect(platform.arrived[0]?.url).toBe('/approvals/events?tool=pay*');
  });
});
