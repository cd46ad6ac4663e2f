import { expect, test } from 'vitest';
import { client } from './http.ts';
import { resourcesConfig } from './platform.ts';
import { replicated } from './replicated.ts';

/** What becomes of approvals, across conversations, replicas and the end of everything: nobody who goes on misses anything. */
const longMs = 120_000;
const under = replicated((place) => resourcesConfig(place), longMs, { asProcess: true });

type Change = { readonly id: string; readonly text: string };

/** Follows the changes at a gateway; `read` waits until there are so many. */
async function follow(url: string, query = '', after?: string) {
  const leaving = new AbortController();
  const answer = await fetch(`${url}/approvals/events${query}`, {
    headers: after === undefined ? {} : { 'last-event-id': after },
    signal: leaving.signal,
  });
  expect(answer.status).toBe(200);
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let sent = '';
  const blocks = () => sent.split('\n\n').slice(0, -1);
  const more = async () => {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the event stream has ended after ${sent}`);
    sent += value;
  };
  while (!/^id: /m.test(sent)) await more();
  return {
    read: async (count: number): Promise<Change[]> => {
      const changes = () =>
        blocks().flatMap((block) => {
          const data = /^data: (.*)$/m.exec(block)?.[1];
          if (data === undefined) return [];
          const { change, approval } = JSON.parse(data);
          return [
            { id: /^id: (.*)$/m.exec(block)?.[1] ?? '', text: `${change} ${approval.uuid} ${approval.tool_name}` },
          ];
        });
      while (changes().length < count) await more();
      return changes();
    },
    last: () => [...sent.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? '',
    leave: () => leaving.abort(),
  };
}

const texts = (changes: readonly Change[]) => changes.map(({ text }) => text);
const gateways = () => under.platform.urls;

/** Asks for something that waits: its approval. */
async function asked(n: number, url = gateways()[0]!): Promise<string> {
  const { body } = await client(url).post('/conversations', { message: `create a server inbox-${n} with value ${n}` });
  return body.result.approval?.uuid ?? '';
}

test('are told in one order, everywhere, and after a kill of all processes', { timeout: longMs }, async () => {
  const [first = '', second = first] = [gateways()[0], gateways().at(-1)];
  const streams = [await follow(first), await follow(second)];
  const approvals = [await asked(1, first), await asked(2, second)];
  await client(second).post(`/approvals/${approvals[0]}/assign`, { to: 'ana', by: 'bob' });
  await client(first).post(`/approvals/${approvals[0]}`, { approved: true, by: 'ana' });
  const tool = 'resources_add';
  const expected = [
    `asked ${approvals[0]} ${tool}`,
    `asked ${approvals[1]} ${tool}`,
    `assigned ${approvals[0]} ${tool}`,
    `settled ${approvals[0]} ${tool}`,
  ];
  const told = await Promise.all(streams.map(({ read }) => read(4)));
  expect(told.map(texts)).toEqual([expected, expected]);
  expect(told[0]).toEqual(told[1]);
  // Each place is one to go on from, at either of them.
  for (const [index, { id }] of told[0]!.entries()) {
    const further = await follow(index % 2 === 0 ? second : first, '?tool=resources_add', id);
    expect(texts(await further.read(3 - index))).toEqual(expected.slice(index + 1));
    further.leave();
  }
  const seen = streams[0]!.last();
  const unseen = await asked(3, second);
  for (const { leave } of streams) leave();
  await under.platform.end('SIGKILL');
  await under.startAnew();
  const [now = ''] = gateways();
  const resumed = await follow(gateways().at(-1)!, '', seen);
  await client(now).post(`/approvals/${unseen}`, { approved: false });
  const later = await asked(4, now);
  expect(texts(await resumed.read(3))).toEqual([
    `asked ${unseen} ${tool}`,
    `settled ${unseen} ${tool}`,
    `asked ${later} ${tool}`,
  ]);
  resumed.leave();
  // A place that the log has not reached is none to go on from.
  const beyond = await fetch(`${now}/approvals/events?after=9007199254740991`);
  expect([beyond.status, ((await beyond.json()) as { error: string }).error]).toEqual([
    400,
    expect.stringContaining('has not reached'),
  ]);
});
