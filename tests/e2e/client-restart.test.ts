import { type ApprovalNews, type ConversationNews, createClient } from '@stopgo/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../free-ports.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, resourcesConfig, start, type Workplace, workplace } from './platform.ts';

/** Sends, decisions and streams through the client, while all of the platform is killed in their midst and started again. */

const longMs = 240_000;
/** When it is killed: before a request is there, while it is on its way or being worked on, or when it was done and the answer is lost. */
type Moment = 'before' | 'during' | 'after';

let place: Workplace;
let model: ScriptedModel;
let port: number;
let platform: Platform;
let killAt: Moment | undefined;
let keys: (string | null)[];

const begin = () =>
  start(place, resourcesConfig(place).replace('port: 0', `port: ${port}`), {
    ...{ command: 'start', asProcess: true, env: model.env },
  });

beforeAll(async () => {
  place = workplace();
  model = await scriptedModel();
  port = await freePort();
  keys = [];
  platform = await begin();
});
afterAll(async () => {
  await platform?.discard();
  await model?.stop();
  place?.remove();
});

/** The next request that changes something meets the end of the platform. */
const fetchAndKill: typeof fetch = async (url, init) => {
  if (init?.method !== 'POST') return fetch(url, init);
  keys.push(new Headers(init.headers).get('idempotency-key'));
  const moment = killAt;
  killAt = undefined;
  if (moment === undefined) return fetch(url, init);
  const answering = moment === 'before' ? undefined : fetch(url, init);
  answering?.catch(() => undefined);
  if (moment === 'after') await (await answering)?.text();
  await platform.end('SIGKILL');
  startedAgain = begin().then((again) => {
    platform = again;
  });
  if (moment === 'during' && answering !== undefined) return answering;
  const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
  throw new TypeError('fetch failed', { cause });
};
let startedAgain: Promise<void> = Promise.resolve();

test('nothing is lost, and nothing is done twice', { timeout: longMs }, async () => {
  const { conversations, approvals } = createClient({
    url: platform.url,
    fetch: fetchAndKill,
    retries: { triesMax: 1_000, firstPauseMs: 50, pauseMsMax: 200, totalMs: longMs },
  });
  const leaving = new AbortController();
  const { signal } = leaving;
  /** Does it, with the platform killed at that moment; how often it was sent is known by its key. */
  const killed = async <T>(moment: Moment, act: () => Promise<T>): Promise<T> => {
    const before = keys.length;
    killAt = moment;
    const done = await act();
    await startedAgain;
    const sent = keys.slice(before);
    expect(sent.length, moment).toBeGreaterThan(1);
    expect(new Set(sent).size, moment).toBe(1);
    return done;
  };
  const collected = <News>(stream: AsyncIterable<News>): News[] => {
    const found: News[] = [];
    void (async () => {
      for await (const one of stream) found.push(one);
    })();
    return found;
  };
  const changes = collected<ApprovalNews>(approvals.events({}, { signal }));
  await expect.poll(() => changes.length).toBe(1);

  const story = async (name: string, starting: Moment, approving: Moment, sending: Moment) => {
    const message = `create a server ${name} with value 1`;
    const { conversation } = await killed(starting, () =>
      conversations.start(message, {}, { prefer: 'respond-async' }),
    );
    const { id } = conversation;
    const news = collected<ConversationNews>(conversations.events(id, { signal }));
    const events = () => news.flatMap((one) => (one.kind === 'event' ? [one.event] : []));
    const types = () => events().map(({ type }) => type);
    await expect.poll(types).toContain('approval_requested');
    const [asked] = (await conversations.get(id)).pending_approvals;
    await killed(approving, () => approvals.approve(asked?.uuid ?? '', { by: 'ana' }));
    await expect.poll(types).toContain('run_completed');
    await killed(sending, () => conversations.send(id, 'list all resources'));
    const { messages = [], revision } = await conversations.get(id);
    await expect.poll(() => events().at(-1)?.revision).toBe(revision);

    // The streams have told all that is on the record, once and in order.
    expect(events().map((one) => one.revision)).toEqual(Array.from({ length: revision }, (_, index) => index + 1));
    const count = (type: string) => types().filter((one) => one === type).length;
    expect([count('user_message_received'), count('approval_resolved'), count('run_completed')]).toEqual([2, 1, 2]);
    expect(messages.filter(({ content }) => content === message)).toHaveLength(1);
    expect(messages.at(-1)?.content).toContain(`${name} = 1`);
    const found = await conversations.list({ q: name });
    expect(found.conversations.map((one) => one.id)).toEqual([id]);
    const told = changes.flatMap(({ change }) => (change?.approval.conversation_id === id ? [change.change] : []));
    expect(told).toEqual(['asked', 'settled']);
  };
  await story('first', 'during', 'before', 'after');
  await story('second', 'after', 'after', 'before');
  leaving.abort();
});
