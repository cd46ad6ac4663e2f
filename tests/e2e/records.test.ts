import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, client } from './http.ts';
import { type Journal, journalOf } from './journal.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';

/** The record behind a conversation, as people look at it: how it stood, whether it is sound, and all of it to keep. */
let model: ScriptedModel;
let place: Workplace;
let journal: Journal;
let platform: Platform;
let http: Client;

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  journal = journalOf(place);
  const config = `
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(place.dataDir)}
mcp_servers:${journal.server()}
`;
  platform = await start(place, config, { env: model.env });
  http = client(platform.url);
}, 60_000);

afterAll(async () => {
  await platform.discard();
  await model.stop();
  place.remove();
});

type Exported = {
  readonly stream: string;
  readonly conversation: unknown;
  readonly events: readonly {
    readonly revision: number;
    readonly type: string;
    readonly envelope_base64: string;
    readonly hash: string;
  }[];
};
type Verification = {
  readonly sound: boolean;
  readonly events: number;
  readonly problems: readonly string[];
  readonly head?: { readonly stream: string; readonly revision: number; readonly hash: string };
};

const get = async <T>(path: string): Promise<{ readonly status: number; readonly body: T }> =>
  (await http.get(path)) as unknown as { readonly status: number; readonly body: T };

/** Two runs with an edited approval, a rejected one and a failed model; what was shown after each request. */
async function story(): Promise<{ readonly id: string; readonly seen: readonly { readonly revision: number }[] }> {
  await model.script(
    { calls: [{ name: 'erase', args: { name: 'first' } }] },
    { calls: [{ name: 'erase', args: { name: 'third' } }] },
    { text: 'done' },
    { text: 'and again' },
  );
  const asked = await http.post('/conversations', { message: 'erase it' });
  const { id } = asked.body.conversation;
  const look = async () =>
    (await http.get(`/conversations/${id}`)).body.conversation as unknown as { revision: number };
  const pending = async () => (await look()) as unknown as { pending_approval: { uuid: string } };
  const seen = [await look()];
  await http.post(`/approvals/${asked.body.result.approval?.uuid}`, {
    action: 'approve',
    arguments: { name: 'second' },
    by: 'ana@x.example',
  });
  seen.push(await look());
  await http.post(`/approvals/${(await pending()).pending_approval.uuid}`, { action: 'reject', reason: 'not that' });
  seen.push(await look());
  await http.post(`/conversations/${id}/messages`, { message: 'more' });
  seen.push(await look());
  return { id, seen };
}

describe('the record of a conversation', () => {
  test('shows it as it stood at each revision that was looked at, and refuses one that there is not', async () => {
    const { id, seen } = await story();
    expect([journal.began('erase', 'second'), new Set(seen.map((one) => one.revision)).size]).toEqual([1, 4]);
    for (const one of seen) {
      const { body } = await get<{ conversation: unknown }>(`/conversations/${id}?revision=${one.revision}`);
      expect(body.conversation).toEqual(one);
    }
    const first = await get<{ conversation: object }>(`/conversations/${id}?revision=1`);
    expect(first.body.conversation).toMatchObject({ revision: 1, messages: [], pending_approvals: [] });
    const head = seen.at(-1)?.revision ?? 0;
    const beyond = await get(`/conversations/${id}?revision=${head + 1}`);
    expect(beyond).toMatchObject({
      status: 400,
      body: { error: `"revision" ${head + 1} is beyond the last event of this conversation, which is ${head}` },
    });
    for (const wrong of ['0', '-1', 'x', '1.5'])
      expect((await get(`/conversations/${id}?revision=${wrong}`)).status).toBe(400);
  });

  test('is verified, and its head is the hash that anybody computes from what is exported', async () => {
    const { id } = await story();
    const { body } = await get<Verification>(`/conversations/${id}/verification`);
    const document = (await get<Exported>(`/conversations/${id}/export`)).body;
    expect(document.conversation).toEqual((await http.get(`/conversations/${id}`)).body.conversation);
    expect(document.events.map(({ revision }) => revision)).toEqual(document.events.map((_, index) => index + 1));
    let hash = Buffer.alloc(32);
    for (const event of document.events) {
      hash = createHash('sha256').update(hash).update(Buffer.from(event.envelope_base64, 'base64')).digest();
      expect(hash.toString('hex')).toBe(event.hash);
    }
    expect(body).toMatchObject({
      sound: true,
      events: document.events.length,
      problems: [],
      head: { stream: `conversation-${id}`, revision: document.events.length, hash: hash.toString('hex') },
    });
  });

  test.each(['', '/verification', '/export'])('of a conversation that is not there is none: %s', async (path) => {
    const id = '00000000-0000-4000-8000-000000000000';
    const { status, body } = await get<{ error: string }>(`/conversations/${id}${path}?revision=1`);
    expect([status, body.error]).toEqual([404, `conversation not found: ${id}`]);
  });
});
