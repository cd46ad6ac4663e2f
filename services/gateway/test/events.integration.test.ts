import { fact, unavailable } from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import { deferred } from './support/deferred.ts';
import { feed, follow, recorded } from './support/events.ts';
import { gateway, type TestGateway } from './support/gateway.ts';
import { fresh, ID, RUN } from './support/views.ts';

const STREAM = `conversation-${ID}`;
const PATH = `/conversations/${ID}/events`;
const event = (revision: number, reason = '') =>
  recorded(STREAM, revision, fact('runCanceled', { runId: RUN, reason }));

function live() {
  const events = feed<ReturnType<typeof event>>();
  const deltas = feed<{ delta: object }>();
  const script = {
    store: {
      getConversation: async () => ({ view: fresh({ revision: 4 }) }),
      follow: ({ fromRevision }: { fromRevision: number }, { signal }: { signal: AbortSignal }) =>
        events.read(signal, fromRevision - 1),
      watchDeltas: (_request: unknown, { signal }: { signal: AbortSignal }) => deltas.read(signal),
    },
  };
  return { events, deltas, script };
}

const followed = ({ calls }: TestGateway) =>
  calls.filter(({ method }) => method === 'follow').map(({ request }) => request);

describe('an event stream', () => {
  test('replays the events, then goes on live, each with its revision as id', async () => {
    const { events, script } = live();
    events.push(recorded(STREAM, 1, fact('conversationCreated', { conversationId: ID, agentName: 'tester' })));
    events.push(
      recorded(
        STREAM,
        2,
        fact('modelResponded', { runId: RUN, turn: 1, text: 'a\n\ndata: b', opaque: Buffer.from('signature') }),
      ),
    );
    const { url } = await gateway(script);
    const client = await follow(url, PATH);
    expect(client.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    await expect.poll(() => client.events.length).toBe(2);
    events.push(event(3, 'enough'));
    await expect.poll(() => client.events.length).toBe(3);
    expect(client.events.map(({ id, event: name }) => [id, name])).toEqual([
      ['1', 'conversation_created'],
      ['2', 'model_responded'],
      ['3', 'run_canceled'],
    ]);
    expect(JSON.parse(client.events[1]!.data)).toEqual({
      revision: 2,
      event_id: 'event-2',
      time: '2026-01-15T10:30:00.000Z',
      actor: { kind: 'system', id: 'orchestrator-1' },
      type: 'model_responded',
      payload: { run_id: RUN, turn: 1, text: 'a\n\ndata: b' },
    });
    client.leave();
  });

  test('resumes after Last-Event-ID, which wins over from, without loss', async () => {
    const { events, script } = live();
    for (const revision of [1, 2, 3, 4]) events.push(event(revision));
    const server = await gateway(script);
    const ids = async (path: string, headers: Record<string, string>, count: number) => {
      const client = await follow(server.url, path, headers);
      await expect.poll(() => client.events.length).toBe(count);
      client.leave();
      return client.events.map(({ id }) => id);
    };
    expect(await ids(PATH, { 'Last-Event-ID': '2' }, 2)).toEqual(['3', '4']);
    expect(await ids(`${PATH}?from=4`, {}, 1)).toEqual(['4']);
    expect(await ids(`${PATH}?from=4`, { 'Last-Event-ID': '1' }, 3)).toEqual(['2', '3', '4']);
    expect(await ids(PATH, { 'Last-Event-ID': '' }, 4)).toHaveLength(4);
    expect(followed(server)).toMatchObject([3, 4, 2, 1].map((fromRevision) => ({ stream: STREAM, fromRevision })));
    for (const id of ['x', '-1', '1.5', '4294967295', '99999999999']) {
      expect((await server.send('GET', PATH, { headers: { 'Last-Event-ID': id } })).status, id).toBe(400);
    }
  });

  test('does not begin after an event that is not there', async () => {
    const server = await gateway(live().script);
    const { status, json } = await server.send('GET', PATH, { headers: { 'Last-Event-ID': '5' } });
    expect(status).toBe(400);
    expect(json.error).toBe(
      'Last-Event-ID 5 is beyond the last event of this conversation, which is 4; leave it out to begin with the first',
    );
    expect(followed(server)).toEqual([]);
    const client = await follow(server.url, PATH, { 'Last-Event-ID': '4' });
    await expect.poll(() => followed(server)).toMatchObject([{ fromRevision: 5 }]);
    client.leave();
  });

  test('takes no place for a client that left while it was asked what it may do', async () => {
    const [asked, answered] = [deferred(), deferred()];
    const server = await gateway(live().script, {
      limits: { openStreams: 1, bodyBytes: 1024, messageBytes: 1024 },
      authorize: async () => {
        asked.resolve();
        await answered.promise;
        return true;
      },
    });
    const leaving = new AbortController();
    const left = fetch(`${server.url}${PATH}`, { signal: leaving.signal });
    await asked.promise;
    leaving.abort();
    await expect(left).rejects.toThrow();
    await expect.poll(() => server.lines.join('')).toContain('| 499 |');
    answered.resolve();
    const next = await follow(server.url, PATH);
    expect(next.status).toBe(200);
    await expect.poll(() => followed(server)).toHaveLength(1);
    next.leave();
  });

  test('carries deltas without an id, and outlives the end of them', async () => {
    const { events, deltas, script } = live();
    const { url } = await gateway(script);
    const client = await follow(url, PATH);
    deltas.push({
      delta: { conversationId: ID, runId: RUN, stepId: 'root', turn: 1, attempt: 1, offset: 5, text: 'hi' },
    });
    await expect
      .poll(() => client.events)
      .toEqual([
        {
          event: 'delta',
          data: JSON.stringify({ run_id: RUN, step_id: 'root', turn: 1, attempt: 1, offset: 5, text: 'hi' }),
        },
      ]);
    client.leave();
    const { url: without } = await gateway({
      store: {
        ...script.store,
        watchDeltas: () => {
          throw unavailable('no live channel');
        },
      },
    });
    events.push(event(1));
    const second = await follow(without, PATH);
    await expect.poll(() => second.events.map(({ id }) => id)).toEqual(['1']);
    second.leave();
  });

  test('shows that it lives while nothing happens', async () => {
    const { url } = await gateway(live().script, { times: { heartbeatMs: 5 } });
    const client = await follow(url, PATH);
    await expect.poll(() => client.text()).toMatch(/^retry: 1000\n\n: heartbeat\n\n: heartbeat\n\n/);
    client.leave();
  });

  test('frees what it followed when the client leaves, and its place for another', async () => {
    const { events, deltas, script } = live();
    const { url, send } = await gateway(script, { limits: { openStreams: 2, bodyBytes: 1024, messageBytes: 1024 } });
    const [first, second] = [await follow(url, PATH), await follow(url, PATH)];
    const full = await send('GET', PATH);
    expect(full.status).toBe(429);
    expect(full.headers['retry-after']).toBe('1');
    await expect.poll(() => [events.readers(), deltas.readers()]).toEqual([2, 2]);
    first.leave();
    second.leave();
    await expect.poll(() => [events.readers(), deltas.readers()]).toEqual([0, 0]);
    const third = await follow(url, PATH);
    expect(third.status).toBe(200);
    third.leave();
  });

  test('ends when the store breaks off, so that the client connects again', async () => {
    const { script } = live();
    const { url, lines } = await gateway({
      store: {
        ...script.store,
        follow: async function* () {
          yield event(1);
          throw unavailable('the log is away');
        },
      },
    });
    const client = await follow(url, PATH);
    await client.ended;
    expect(client.events).toHaveLength(1);
    expect(lines.join('')).toContain('broke off');
  });

  test('ends when the gateway stops, and the stop does not wait for its client', async () => {
    const { events, script } = live();
    const { url, stop } = await gateway(script, { times: { stopGraceMs: 60_000 } });
    const client = await follow(url, PATH);
    await expect.poll(() => events.readers()).toBe(1);
    await stop();
    await client.ended;
    expect(events.readers()).toBe(0);
  });

  test('a HEAD request opens nothing', async () => {
    const { script } = live();
    const server = await gateway(script);
    const { status, text } = await server.send('HEAD', PATH);
    expect({ status, text }).toEqual({ status: 200, text: '' });
    expect(followed(server)).toEqual([]);
  });
});

describe('a slow client', () => {
  const LARGE = 'x'.repeat(200_000);

  test('gets every event in order but not every delta', async () => {
    const { events, deltas, script } = live();
    const { url } = await gateway(script);
    const client = await follow(url, PATH);
    client.pause();
    for (let revision = 1; revision <= 100; revision += 1) events.push(event(revision, LARGE));
    // Nothing is read now: what was read from the store stays far behind what it has.
    await expect.poll(() => events.taken()).toBeGreaterThan(2);
    const sent = 2_000;
    for (let offset = 0; offset < sent; offset += 1) deltas.push({ delta: { conversationId: ID, offset, text: 'x' } });
    await expect.poll(() => deltas.taken()).toBe(sent);
    expect(events.taken()).toBeLessThan(100);
    client.resume();
    const ids = () => client.events.filter(({ id }) => id !== undefined).map(({ id }) => Number(id));
    await expect.poll(ids).toHaveLength(100);
    expect(ids()).toEqual(Array.from({ length: 100 }, (_value, index) => index + 1));
    expect(client.events.length - 100).toBeLessThan(sent);
    client.leave();
  });

  test('that reads nothing at all is cut off', async () => {
    const { events, script } = live();
    const { url } = await gateway(script, { times: { readerStallMs: 50 } });
    const client = await follow(url, PATH);
    client.pause();
    for (let revision = 1; revision <= 100; revision += 1) events.push(event(revision, LARGE));
    await expect.poll(() => events.readers()).toBe(1);
    await expect.poll(() => events.readers()).toBe(0);
    client.leave();
  });
});
