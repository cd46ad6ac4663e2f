import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chat } from '../src/chat/chat.ts';
import { approvalOf, linesOf } from './asked.ts';

/** A chat with a gateway that does what the test says: it answers, breaks off, or goes away and comes back. */
const id = '01890000-0000-7000-8000-000000000001';

type Told = { readonly path: string; readonly key: string | undefined; readonly body: unknown };
type Answer = (res: ServerResponse, req: IncomingMessage) => void;

let server: Server;
let url: string;
/** POSTs, in the order in which they came. */
let told: Told[];
/** What becomes of the next requests of each kind; where it is empty they are answered. */
let next: Record<'POST' | 'look' | 'events', Answer[]>;
let looks: number;
let view: Record<string, unknown>;
/** The events of the conversation so far, and who follows them. */
let events: { readonly type: string; readonly payload: object }[];
let followers: Set<ServerResponse>;
let followedFrom: number;
/** What a decision comes to. */
let decided: (path: string) => void;

const json = (res: ServerResponse, status: number, body: object) => {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify(body));
};
const withKey = '; commands send the API key in STOPGO_API_KEY: set it to one of yours';
const refusedWith = (status: number) => `refused with ${status}${status === 401 ? withKey : ''}`;
const refuse =
  (status: number): Answer =>
  (res) =>
    json(res, status, { error: `refused with ${status}` });
/** The answer is lost, after the request was taken. */
const breakOff: Answer = (res) => res.destroy();
/** The same, and nobody listens any more. */
const dies: Answer = (res) => {
  server.close();
  server.closeAllConnections();
  res.destroy();
};
const signIn = '<html>\n<title>Sign in</title>';
/** What a proxy says instead of the platform, as if all was well. */
const page: Answer = (res) => {
  res.writeHead(200, { 'content-type': 'text/html' });
  res.end(signIn);
};

const conversation = () => ({
  id,
  title: '',
  message_count: 1,
  pending_approvals: [],
  ...view,
  revision: events.length,
});
const waiting = (...uuids: string[]) => ({
  run: { status: 'waiting' },
  pending_approvals: uuids.map((uuid) => approvalOf(uuid, id)),
});
const send = (to: ServerResponse, revision: number) => {
  const event = events[revision - 1];
  to.write(`id: ${revision}\nevent: event\ndata: ${JSON.stringify({ revision, ...event })}\n\n`);
};
function happens(type: string, payload: object = {}): void {
  events.push({ type, payload });
  for (const follower of followers) send(follower, events.length);
}
const says = (text: string, turn = 1) => happens('model_responded', { run_id: 'r', step_id: 'root', turn, text });

async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of req) body += String(chunk);
  const { pathname: path } = new URL(req.url ?? '', url);
  const kind = req.method === 'POST' ? 'POST' : path.endsWith('/events') ? 'events' : 'look';
  if (kind === 'POST')
    told.push({ path, key: req.headers['idempotency-key'] as string | undefined, body: JSON.parse(body) });
  if (kind === 'look') looks += 1;
  if (path.startsWith('/approvals/')) decided(path);
  const answer = next[kind].shift();
  if (answer !== undefined) return answer(res, req);
  if (kind !== 'events') return json(res, 200, { conversation: conversation() });
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  res.flushHeaders();
  followedFrom = Number(req.headers['last-event-id'] ?? 0) + 1;
  // One that was told before comes along.
  for (let revision = Math.max(1, followedFrom - 1); revision <= events.length; revision += 1) send(res, revision);
  followers.add(res);
  res.on('close', () => followers.delete(res));
}

beforeEach(async () => {
  [told, looks, events, followers, followedFrom, decided] = [[], 0, [], new Set(), 0, () => undefined];
  next = { POST: [], look: [], events: [] };
  view = { run: { status: 'completed' } };
  server = createServer((req, res) => void handle(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));

type Said = readonly (string | (() => string | undefined | Promise<string>))[];

/** A chat in which this is said, and all that it shows. `leave` is what a human does with Ctrl-D. */
function chatting(said: Said, { isTerminal = true, resumed = false, triesMax = 20 } = {}) {
  const left = new AbortController();
  const rest = [...said];
  let shown = '';
  const line = async (prompt: string) => {
    const one = rest.shift();
    const text = typeof one === 'function' ? await one() : one;
    if (!left.signal.aborted && text !== undefined) shown += `${prompt}${text}\n`;
    return left.signal.aborted ? undefined : text;
  };
  const lines = linesOf(isTerminal, line, left.signal);
  const options = {
    conversation: resumed ? id : undefined,
    commandLine: (words: string) => `npx stopgo ${words} --port 80`,
    patience: { triesMax, pauseMs: 1, lookMs: 10 },
  };
  const write = (text: string): void => {
    shown += text;
  };
  const ended = chat(url, options, lines, write);
  return { ended, shown: () => shown, leave: () => left.abort() };
}

const goesOn = `  npx stopgo chat ${id} --port 80`;

test('how to go on stands on a row of its own', async () => {
  says('hello');
  const { ended, shown } = chatting(['hi']);
  await ended;
  expect(shown().split('\n')).toEqual(['> hi', `conversation ${id} goes on with:`, goesOn, '| hello', '']);
});

describe('a message whose answer is lost', () => {
  test.each([true, false])('is sent again, and is one message (at a terminal: %s)', async (isTerminal) => {
    says('hello');
    next.POST = [breakOff, refuse(503), refuse(429)];
    const { ended, shown } = chatting(['hi', 'there'], { isTerminal });
    await ended;
    const keys = told.map(({ key }) => key);
    expect(keys).toEqual([keys[0], keys[0], keys[0], keys[0], expect.not.stringContaining(keys[0] ?? '')]);
    expect(keys[0]).toMatch(/^[\x21-\x7e]{16,128}$/);
    expect(told.map(({ path }) => path)).toEqual([...Array(4).fill('/conversations'), `/conversations/${id}/messages`]);
    expect(shown().match(/trying again/g)).toHaveLength(1);
    expect(shown()).toContain('| hello\n');
  });

  test('is not sent for ever, and the error says that nobody knows', async () => {
    next.POST = Array(5).fill(breakOff);
    await expect(chatting(['hi'], { triesMax: 3 }).ended).rejects.toThrow(
      /nobody knows whether the message was taken: look with\n {2}npx stopgo conversations --port 80$/,
    );
    expect(told).toHaveLength(3);
  });

  test.each([
    ['nobody listens any more', [dies]],
    ['it is refused then (401)', [breakOff, refuse(401)]],
    ['it is refused then (404)', [breakOff, refuse(404)]],
  ])('may have been taken, also if %s', async (_, answers) => {
    next.POST = [...answers];
    const { ended, shown } = chatting(['hi', 'hi'], { triesMax: 3 });
    await expect(ended).rejects.toThrow('; nobody knows whether the message was taken: look with\n');
    expect(shown().match(/> hi/g)).toHaveLength(1);
  });

  test('is not sent any more when the human leaves, who is told so', async () => {
    const talk = chatting(['hi']);
    next.POST = [
      breakOff,
      (res) => {
        talk.leave();
        res.destroy();
      },
    ];
    await talk.ended;
    expect(told).toHaveLength(2);
    expect(talk.shown()).toMatch(
      /nobody knows whether the last message was taken; look with:\n {2}npx stopgo conversations --port 80\n$/,
    );
  });
});

describe('a message that is not taken', () => {
  test.each([401, 403, 404, 409])('is said at once, and another can be said (%i)', async (status) => {
    says('hello');
    next.POST = [refuse(status)];
    const { ended, shown } = chatting(['hi', 'again']);
    await ended;
    expect(shown()).toContain(`> hi\n${refusedWith(status)}\n> again\n`);
    next.POST = [refuse(status)];
    await expect(chatting(['hi'], { isTerminal: false }).ended).rejects.toThrow(`refused with ${status}`);
    expect(told).toHaveLength(3);
  });

  test('because nobody is there is said at once', async () => {
    await new Promise((resolve) => server.close(resolve));
    const { ended, shown } = chatting(['hi']);
    await ended;
    expect(shown()).toMatch(/^> hi\nno answer from .*; is the platform running there\? \(--url or --port\)\n$/);
    await expect(chatting(['hi'], { isTerminal: false }).ended).rejects.toThrow('no answer from');
  });
});

describe('a platform that goes away', () => {
  test('and comes back while a chat follows a run: each event is shown once, in order', async () => {
    view = { run: { status: 'working' } };
    says('one');
    const talk = chatting(['hi']);
    await expect.poll(talk.shown).toContain('| one\n');
    // It goes: what follows breaks off, and nothing is answered for a while.
    next.look = Array(4).fill(breakOff);
    next.events = [breakOff, refuse(503), breakOff];
    for (const follower of followers) follower.destroy();
    await expect.poll(() => [next.look, next.events].flat()).toEqual([]);
    says('two', 2);
    happens('run_completed');
    view = { run: { status: 'completed' } };
    await talk.ended;
    expect(talk.shown().match(/trying again/g)).toHaveLength(1);
    expect(talk.shown().replace(/no answer from .*\n/, '')).toBe(
      `> hi\nconversation ${id} goes on with:\n${goesOn}\n| one\n| two\n`,
    );
  });

  test('and stays away ends the chat, with how to go on', async () => {
    view = { run: { status: 'working' } };
    next.look = Array(9).fill(breakOff);
    const { ended } = chatting(['hi'], { triesMax: 3 });
    await expect(ended).rejects.toThrow(`; this goes on with the conversation:\n${goesOn}`);
    expect(looks).toBe(3);
  });

  test('is left with a goodbye', async () => {
    view = { run: { status: 'working' } };
    const talk = chatting(['hi']);
    next.look = [
      breakOff,
      // Not even an answer is waited for.
      () => talk.leave(),
    ];
    await talk.ended;
    expect(talk.shown()).toMatch(/trying again\nthe run goes on without you; this shows it:\n.* --port 80\n$/);
  });

  test('while its answer is awaited is left at once, and nothing more is tried', async () => {
    for (const resumed of [false, true]) {
      const talk = chatting(['hi'], { resumed });
      next.look = [() => talk.leave()];
      await talk.ended;
      expect(talk.shown()).not.toContain('trying again');
    }
    expect(looks).toBe(2);
  });
});

describe('what is no answer of a platform', () => {
  const instead =
    'answered with text/html instead of JSON: <html>\\n<title>Sign in</title>; is that the platform? (--url or --port)';
  const empty = 'answered with JSON that holds no conversation: {}; is that the platform? (--url or --port)';

  test.each([
    [instead, page],
    [empty, (res: ServerResponse) => json(res, 200, {})],
  ])('is told, and nobody knows what became of a message: %s', async (told200, answer) => {
    next.POST = [answer];
    const message = `${url} ${told200}`;
    await expect(chatting(['hi', 'hi']).ended).rejects.toThrow(
      `${message}; nobody knows whether the message was taken`,
    );
    expect(told).toHaveLength(1);
    next.look = [answer, answer];
    await expect(chatting([], { resumed: true }).ended).rejects.toThrow(message);
    await expect(chatting(['hi']).ended).rejects.toThrow(`${message}; this goes on with the conversation:`);
    expect(looks).toBe(2);
  });

  test('is told of events', async () => {
    view = { run: { status: 'working' } };
    next.events = [page];
    await expect(chatting(['hi']).ended).rejects.toThrow(
      /^the events of the conversation cannot be had: .* answered with text\/html instead of events; is that the platform/,
    );
  });
});

test('a decision that the platform does not answer is left at once, and nobody knows whether it was taken', async () => {
  view = waiting('u-a');
  const talk = chatting(['pay', 'yes']);
  next.POST = [(res) => json(res, 200, { conversation: conversation() }), () => talk.leave()];
  await talk.ended;
  expect(told.map(({ path }) => path)).toEqual(['/conversations', '/approvals/u-a']);
  expect(talk.shown()).toMatch(
    /yes or no: yes\nnobody knows whether the last decision was taken; look with:\n {2}npx stopgo chat .* --port 80\n$/,
  );
});

describe('a decision whose answer is lost', () => {
  const lost = /^no answer from \S+: .*; the decision may have been recorded/m;

  test('is said to a human, who is asked again if it was not recorded', async () => {
    view = waiting('u-a');
    next.POST = [(res) => json(res, 200, { conversation: conversation() }), breakOff, breakOff];
    decided = () => {
      if (told.length === 4) view = { run: { status: 'completed' } };
    };
    const talk = chatting(['pay', 'yes', 'yes']);
    await talk.ended;
    expect(told.map(({ path }) => path)).toEqual(['/conversations', ...Array(3).fill('/approvals/u-a')]);
    expect(new Set(told.map(({ key }) => key)).size).toBe(3);
    expect(talk.shown()).toMatch(lost);
  });

  test('ends a script, with where to look', async () => {
    view = waiting('u-a');
    next.POST = [(res) => json(res, 200, { conversation: conversation() }), breakOff, breakOff];
    const { ended } = chatting(['pay', 'yes'], { isTerminal: false });
    await expect(ended).rejects.toThrow(lost);
    await expect(ended).rejects.toThrow(/: look with\n {2}npx stopgo chat .* --port 80$/);
  });
});

test.each([401, 403, 404])('what is refused with %i is not asked for again', async (status) => {
  next.look = [refuse(status)];
  await expect(chatting(['hi']).ended).rejects.toThrow(`${refusedWith(status)}; this goes on`);
  expect(looks).toBe(1);
  // The same of the events.
  view = { run: { status: 'working' } };
  next.events = [refuse(status)];
  await expect(chatting(['hi']).ended).rejects.toThrow(`the events of the conversation cannot be had: ${status}`);
  next.look = [refuse(status)];
  await expect(chatting([], { resumed: true }).ended).rejects.toThrow(`refused with ${status}`);
});

describe('of several approvals', () => {
  test('one that is passed over does not hide what comes of another', async () => {
    view = waiting('u-a', 'u-b');
    decided = () => {
      view = { ...waiting('u-a'), run: { status: 'working' } };
    };
    const talk = chatting(['pay twice', '', 'yes']);
    await expect.poll(() => looks).toBeGreaterThan(1);
    happens('tool_call_finished', { tool: 'pay', content: 'paid b' });
    view = waiting('u-a');
    await talk.ended;
    expect(told.slice(1)).toEqual([expect.objectContaining({ path: '/approvals/u-b', body: { action: 'approve' } })]);
    expect(talk.shown()).toMatch(/ {2}pay gave: paid b\nit waits; this goes on with it:\n.* --port 80\n$/);
    expect(talk.shown().match(/a human is to decide/g)).toHaveLength(2);
  });

  test('none is shown any more once the human has left', async () => {
    view = waiting('u-a', 'u-b');
    const talk = chatting([
      'pay twice',
      () => {
        talk.leave();
        return undefined;
      },
    ]);
    await talk.ended;
    expect(talk.shown()).not.toContain('u-b');
    expect(talk.shown()).toContain(`${goesOn}\n`);
  });

  test('what happens while a question stands is shown after the answer', async () => {
    view = waiting('u-a');
    decided = () => {
      view = { run: { status: 'completed' } };
    };
    let answer = (_: string): void => undefined;
    const answered = new Promise<string>((resolve) => {
      answer = resolve;
    });
    let isAsked = false;
    const talk = chatting([
      'pay',
      () => {
        isAsked = true;
        return answered;
      },
    ]);
    await expect.poll(() => isAsked).toBe(true);
    const before = talk.shown();
    happens('tool_call_finished', { tool: 'look', content: 'looked' });
    for (const follower of followers) follower.end();
    // Whoever asks for the next one has that one.
    await expect.poll(() => followedFrom).toBe(events.length + 1);
    expect(talk.shown()).toBe(before);
    answer('yes');
    await talk.ended;
    expect(talk.shown()).toBe(`${before}May it run? yes or no: yes\n  look gave: looked\n`);
  });
});
