import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, type Client, client } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';

/** An agent whose tools are those of our own filesystem server: what reads runs, what writes waits. */
let model: ScriptedModel;
let place: Workplace;
let platform: Platform;
let http: Client;
const file = (name: string) => join(place.folder, 'files', name);

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  mkdirSync(file('.'));
  const settings = join(place.folder, 'filesystem.yaml');
  writeFileSync(settings, `roots: [{name: files, path: ${JSON.stringify(file('.'))}, allowed_tools: ["*"]}]\n`);
  const yaml = `
prompt: You look after files.
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(place.dataDir)}
mcp_servers:
  - name: filesystem
    command: node
    args: [mcp-servers/filesystem/dist/main.js, --config, ${JSON.stringify(settings)}]
`;
  platform = await start(place, yaml, { env: model.env });
  http = client(platform.url);
}, 60_000);

afterAll(async () => {
  await platform.discard();
  await model.stop();
  place.remove();
});

const ask = (tool: string, given: object): Promise<Answer> =>
  http.post('/conversations', { message: `call ${tool} ${JSON.stringify({ root: 'files', ...given })}` });
const toolResult = ({ body }: Answer) =>
  body.conversation.messages.flatMap(({ tool_call }) => (tool_call?.result === undefined ? [] : [tool_call])).at(-1);

test('what reads runs', async () => {
  writeFileSync(file('letter.txt'), 'dear reader\n');
  const tools = (await http.get('/tools')).body.tools;
  expect(tools).toHaveLength(15);
  expect(tools.filter(({ destructiveHint }) => destructiveHint === true).map(({ name }) => name)).toEqual([
    'write_file',
    'remove_file',
    'patch_file',
    'create_folder',
    'remove_folder',
    'copy',
    'move',
  ]);
  const read = await ask('read_file', { path: 'letter.txt' });
  expect(read.body.result.waiting_approval).toBe(false);
  expect(read.body.result.response).toContain('dear reader');
  const found = await ask('grep', { pattern: 'READER', case_insensitive: true });
  expect(found.body.result.response).toContain('letter.txt');
});

test('what writes waits, and happens once somebody says so', async () => {
  writeFileSync(file('letter.txt'), 'dear reader\n');
  const patch = '@@ -1 +1 @@\n-dear reader\n+dear writer';
  const { body } = await ask('patch_file', { path: 'letter.txt', patch });
  expect(body.result.waiting_approval).toBe(true);
  expect(readFileSync(file('letter.txt'), 'utf8')).toBe('dear reader\n');
  const approval = `/approvals/${body.result.approval?.uuid}`;
  const done = await http.post(approval, { approved: true });
  expect(done.status).toBe(200);
  expect(JSON.parse(toolResult(done)?.result ?? '')).toEqual({ path: 'letter.txt', hunks_applied: 1 });
  expect(readFileSync(file('letter.txt'), 'utf8')).toBe('dear writer\n');
  expect((await http.post(approval, { approved: true })).status).toBe(409);
});

test('what is rejected does not happen', async () => {
  const { body } = await ask('remove_folder', { path: 'kept' });
  mkdirSync(file('kept'));
  const rejected = await http.post(`/approvals/${body.result.approval?.uuid}`, { approved: false });
  expect(rejected.body.result.response).toBe('Operation cancelled by user.');
  expect(existsSync(file('kept'))).toBe(true);
});

test('what leads out of the root is told as an error, and not where the root lies', async () => {
  symlinkSync('..', file('out'));
  const answer = await ask('list_folder', { path: 'out/tools' });
  expect(toolResult(answer)).toMatchObject({ is_error: true, result: 'path resolves outside root boundary' });
  expect(JSON.stringify(answer.body)).not.toContain(place.folder);
});
