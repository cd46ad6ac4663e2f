import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, client } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';

// One story, and whatever server the tools come from: what reads runs, what writes waits. Between the agents nothing differs
// but the lines of `mcp_servers`.
type Call = { readonly name: string; readonly args: Readonly<Record<string, unknown>> };
type ToolServer = {
  /** The value of `mcp_servers`. `folder` is there, and empty. */
  readonly yaml: (folder: string) => string;
  /** Reads all that there is. */
  readonly read: (folder: string) => Call;
  /** Makes something that `read` shows by its name. */
  readonly write: (folder: string, name: string) => Call;
};

const official = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
const text = JSON.stringify;

const servers: Readonly<Record<string, ToolServer>> = {
  'our resources server': {
    yaml: (folder) => `
  - name: resources
    command: node
    args: [mcp-servers/resources/dist/main.js, --db, ${text(join(folder, 'r.db'))}]`,
    read: () => ({ name: 'resources_list', args: {} }),
    write: (_, name) => ({ name: 'resources_add', args: { name, value: 1 } }),
  },
  'the official filesystem server': {
    yaml: (folder) => `
  - name: files
    command: node
    args: [${text(official)}, ${text(folder)}]`,
    read: (folder) => ({ name: 'list_directory', args: { path: folder } }),
    write: (folder, name) => ({ name: 'write_file', args: { path: join(folder, name), content: 'written' } }),
  },
  'our filesystem server': {
    yaml: (folder) => {
      const settings = join(folder, '../filesystem.yaml');
      writeFileSync(settings, `roots: [{name: files, path: ${text(folder)}, allowed_tools: ["*"]}]\n`);
      return `
  - name: files
    command: node
    args: [mcp-servers/filesystem/dist/main.js, --config, ${text(settings)}]`;
    },
    read: () => ({ name: 'list_folder', args: { root: 'files', path: '.' } }),
    write: (_, name) => ({ name: 'write_file', args: { root: 'files', path: name, content: 'written' } }),
  },
};

describe.each(Object.entries(servers))('an agent with the tools of %s', (_, server) => {
  let model: ScriptedModel;
  let place: Workplace;
  let folder: string;
  let platform: Platform;
  let http: Client;

  const launch = async () => {
    platform = await start(
      place,
      `
prompt: You use tools.
host: 127.0.0.1
port: 0
data_dir: ${text(place.dataDir)}
mcp_servers:${server.yaml(folder)}
`,
      { env: model.env },
    );
    http = client(platform.url);
  };

  beforeAll(async () => {
    model = await scriptedModel();
    place = workplace();
    folder = join(realpathSync(place.folder), 'files');
    mkdirSync(folder);
    await launch();
  }, 60_000);

  afterAll(async () => {
    await platform?.discard();
    await model.stop();
    place.remove();
  });

  const ask = (...calls: readonly Call[]): Promise<Answer> =>
    model.script({ calls }).then(() => http.post('/conversations', { message: 'Do it.' }));
  const decide = (uuid: string | undefined, approved: boolean) => http.post(`/approvals/${uuid}`, { approved });
  const results = ({ body }: Answer) =>
    body.conversation.messages.flatMap(({ tool_call }) => (tool_call?.result === undefined ? [] : [tool_call]));
  const seen = async () => {
    const answer = await ask(server.read(folder));
    expect(answer.body.result).toMatchObject({ waiting_approval: false, approvals: [] });
    expect(results(answer)).toMatchObject([{ is_error: false }]);
    return results(answer)[0]?.result ?? '';
  };

  test('reads at once, and says beforehand which of its calls will wait', async () => {
    expect(await seen()).not.toContain('nothing-yet');
    const { tools } = (await http.get('/tools')).body;
    const destructive = (name: string) => tools.find((tool) => tool.name === name)?.destructiveHint;
    expect(destructive(server.read(folder).name)).toBe(false);
    expect(destructive(server.write(folder, 'x').name)).toBe(true);
  });

  test('waits before it writes, and writes once when somebody says so', async () => {
    const { name, args } = server.write(folder, 'approved');
    const asked = await ask({ name, args });
    expect(asked.body.result.waiting_approval).toBe(true);
    expect(asked.body.result.approval).toMatchObject({ kind: 'tool', tool_name: name, tool_args: args });
    expect(await seen()).not.toContain('approved');
    const done = await decide(asked.body.result.approval?.uuid, true);
    expect(done.status).toBe(200);
    expect(results(done)).toMatchObject([{ name, is_error: false }]);
    expect((await seen()).split('approved').length).toBe(2);
    expect((await decide(asked.body.result.approval?.uuid, true)).status).toBe(409);
  });

  test('does not write what is rejected', async () => {
    const { body } = await ask(server.write(folder, 'rejected'));
    const done = await decide(body.result.approval?.uuid, false);
    expect(done.body.result.response).toBe('Operation cancelled by user.');
    expect(await seen()).not.toContain('rejected');
  });

  test('reads while what it also asked for waits, in any order and over a kill', async () => {
    const calls = [server.write(folder, 'first'), server.read(folder), server.write(folder, 'second')];
    const asked = await ask(...calls);
    expect(results(asked)).toMatchObject([{ name: server.read(folder).name, is_error: false }]);
    const [first, second] = asked.body.result.approvals;
    await decide(second?.uuid, true);
    await platform.discard();
    await launch();
    const done = await decide(first?.uuid, true);
    expect(done.body.result.waiting_approval).toBe(false);
    expect(done.body.conversation.status).toBe('active');
    const all = await seen();
    for (const name of ['first', 'second']) expect(all.split(name).length, name).toBe(2);
  }, 60_000);
});
