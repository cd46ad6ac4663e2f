import { get as httpGet, request as httpRequest, type IncomingMessage } from 'node:http';
import { unavailable } from '@stopgo/core';
import { describe, expect, test, vi } from 'vitest';
import { deferred } from './support/deferred.ts';
import { gateway } from './support/gateway.ts';
import { fresh, ID, message, settled, storeOf, TurnOutcome } from './support/views.ts';

const MIB = 1024 * 1024;
const PATH = `/conversations/${ID}`;

/** A conversation of messages of 1 MiB, one for each call; `beforePage` may hold a page back or fail. */
function long(count: number, beforePage: (after: number) => void | Promise<void> = () => undefined) {
  const view = settled('done', { messageCount: count });
  const all = Array.from({ length: count }, (_value, index) =>
    message(index + 1, 'user', `${index + 1} `.repeat(MIB / 4)),
  );
  const store = storeOf(view, all, 1);
  const turn = { outcome: TurnOutcome.SETTLED, view };
  return {
    orchestrator: { sendMessage: async () => ({ turn }), createConversation: async () => ({ turn }) },
    store: {
      getConversation: async (request: { afterSequence: number; messageLimit: number }) => {
        await beforePage(request.afterSequence);
        return store.getConversation(request);
      },
    },
  };
}

const open = (url: string, method: string, path: string, body = '') =>
  new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(`${url}${path}`, { method, agent: false }, resolve).on('error', reject).end(body);
  });

describe('a conversation too long to be held', () => {
  test.each([
    ['GET', PATH, '', ['conversation']],
    ['POST', `${PATH}/messages`, '{"message":"x"}', ['conversation', 'result']],
  ])('%s %s: is sent while it is read, in the form of a short one', async (method, path, body, members) => {
    const rest = deferred();
    const { url } = await gateway(long(5, (after) => (after === 2 ? rest.promise : undefined)));
    const res = await open(url, method, path, body);
    expect(res.headers).not.toHaveProperty('content-length');
    let text = '';
    for await (const chunk of res.setEncoding('utf8')) {
      text += chunk;
      rest.resolve();
    }
    const json = JSON.parse(text);
    expect(Object.keys(json)).toEqual(members);
    expect(Object.keys(json.conversation)).toEqual([
      'id',
      'session_id',
      'context_id',
      'status',
      'title',
      'run',
      'messages',
      'message_count',
      'pending_approvals',
      'revision',
      'created_at',
      'updated_at',
    ]);
    expect(json.conversation.messages.map(({ id }: { id: string }) => id)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
    expect(json.conversation.messages[4].content).toBe('5 '.repeat(MIB / 4));
  });

  test('is read no faster than its client reads, and no further once that is cut off', async () => {
    const { url, calls, lines } = await gateway(long(100), { times: { readerStallMs: 100 } });
    // What the systems at both ends take in advance is far less than 50 MiB.
    const client = httpGet(`${url}${PATH}`, { agent: false }, (res) => res.pause()).on('error', () => undefined);
    await vi.waitFor(() => expect(lines.join('')).toContain(`| GET | ${PATH} |`), { timeout: 30_000 });
    expect(calls.length).toBeGreaterThan(1);
    expect(calls.length).toBeLessThan(100);
    client.destroy();
  });

  test('breaks off in the middle if the store does, and the log says why', async () => {
    const fail = (after: number) => {
      if (after === 3) throw unavailable('the log is away');
    };
    const { send, lines } = await gateway(long(5, fail));
    await expect(send('GET', PATH)).rejects.toThrow('aborted');
    expect(lines.join('')).toMatch(new RegExp(`an answer broke off.*${PATH}.*the log is away`));
  });

  test('is an ordinary error if the store fails before anything was sent', async () => {
    const fail = () => {
      throw unavailable('the log is away');
    };
    const { send } = await gateway(long(5, fail));
    const reply = await send('POST', '/conversations', { body: { message: 'x' }, headers: { Prefer: 'wait=2' } });
    expect({ status: reply.status, json: reply.json }).toEqual({ status: 503, json: { error: 'the log is away' } });
    expect(reply.headers).not.toHaveProperty('location');
    expect(reply.headers).not.toHaveProperty('preference-applied');
  });

  test('is not read to its end for a HEAD request', async () => {
    const { send, calls } = await gateway(long(5));
    const { status, text } = await send('HEAD', PATH);
    expect({ status, text }).toEqual({ status: 200, text: '' });
    expect(calls).toHaveLength(1);
  });
});

describe('a list with messages', () => {
  const ids = [1, 2, 3, 4].map((digit) => `${ID.slice(0, -1)}${digit}`);

  /** Conversations with one message each, of these sizes. A cursor is the index to go on from. */
  function listOf(sizes: readonly number[]) {
    const view = (index: number) => fresh({ id: ids[index] ?? '', messageCount: 1 });
    return {
      store: {
        listConversations: async ({ limit, cursor }: { limit: number; cursor: string }) => {
          const from = Number(cursor);
          const to = Math.min(from + limit, sizes.length);
          return {
            conversations: sizes.slice(from, to).map((_size, index) => view(from + index)),
            nextCursor: to < sizes.length ? String(to) : '',
            summary: { total: sizes.length },
            position: BigInt(100 + from),
          };
        },
        getConversation: async ({ conversationId }: { conversationId: string }) => {
          const index = ids.indexOf(conversationId);
          return { view: view(index), messages: [message(1, 'user', 'x'.repeat(sizes[index] ?? 0))], more: false };
        },
      },
    };
  }
  const listed = (json: { conversations: readonly { id: string; messages: readonly object[] }[] }) => {
    for (const { messages } of json.conversations) expect(messages).toHaveLength(1);
    return json.conversations.map(({ id }) => ids.indexOf(id));
  };

  test('ends early when its messages are too many, with the cursor for the rest', async () => {
    const { send } = await gateway(listOf([20 * MIB, 20 * MIB, 40 * MIB, 1]));
    const pages: number[][] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { json } = await send('GET', `/conversations?include=messages&cursor=${cursor}`);
      pages.push(listed(json));
      cursor = json.next_cursor;
    }
    expect(pages).toEqual([[0, 1], [2], [3]]);
  });

  test('keeps to its limit and has the form of one without', async () => {
    const { send } = await gateway(listOf([1, 1, 1]));
    const plain = (await send('GET', '/conversations?limit=2')).json;
    const { json } = await send('GET', '/conversations?limit=2&include=messages');
    expect(listed(json)).toEqual([0, 1]);
    expect(Object.keys(json)).toEqual(Object.keys(plain));
    expect({ ...json, conversations: [] }).toEqual({ ...plain, conversations: [] });
    expect(json.next_cursor).toBe('2');
    expect(listed((await send('GET', '/conversations?limit=2&include=messages&cursor=2')).json)).toEqual([2]);
  });

  test('of nothing is empty, and a search that gave up goes on from its cursor', async () => {
    const empty = await gateway({ store: { listConversations: async () => ({}) } });
    expect((await empty.send('GET', '/conversations?include=messages')).json).toEqual({
      conversations: [],
      summary: { total: 0, active: 0, waiting_approval: 0, completed: 0 },
      position: 0,
    });
    const { send, calls } = await gateway({ store: { listConversations: async () => ({ nextCursor: 'on' }) } });
    expect((await send('GET', '/conversations?include=messages&q=x')).json).toMatchObject({ next_cursor: 'on' });
    expect(calls).toHaveLength(1);
  });
});
