import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, client } from './http.ts';
import { type Journal, journalOf } from './journal.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';

/** What people are asked to approve is what the tool gets, and nothing else is put to them. */
let model: ScriptedModel;
let place: Workplace;
let journal: Journal;
let platform: Platform;
let http: Client;

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  journal = journalOf(place);
  const yaml = `
prompt: You use tools.
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(place.dataDir)}
mcp_servers:${journal.server()}
`;
  platform = await start(place, yaml, { env: model.env });
  http = client(platform.url);
}, 60_000);

afterAll(async () => {
  await platform.discard();
  await model.stop();
  place.remove();
});

async function erase(args: Readonly<Record<string, unknown>>): Promise<Answer> {
  await model.script({ calls: [{ name: 'erase', args }] }, { text: 'done' });
  return http.post('/conversations', { message: 'erase it' });
}

describe('arguments of a call that people must approve', () => {
  test.each([
    [42, '42'],
    [true, 'true'],
  ])('are coerced before they are asked: %j', async (name, text) => {
    const { body } = await erase({ name });
    expect(body.result.approval).toMatchObject({ tool_name: 'erase', tool_args: { name: text } });
    expect(journal.began('erase', text)).toBe(0);
    const done = await http.post(`/approvals/${body.result.approval?.uuid}`, { approved: true });
    expect(done.status).toBe(200);
    expect(journal.began('erase', text)).toBe(1);
  });

  test('that the tool does not take are told to the model, and nobody is asked', async () => {
    const { body } = await erase({ name: ['x'] });
    expect(body.result.waiting_approval).toBe(false);
    const refused = body.conversation.messages.flatMap(({ tool_call }) => tool_call ?? []).at(-1);
    expect(refused).toMatchObject({ is_error: true });
    expect(refused?.result).toMatch(
      /^The arguments are not what the tool takes: arguments\.name: .*; the call was not run\.$/,
    );
    expect(journal.text()).not.toContain('["x"]');
  });
});
