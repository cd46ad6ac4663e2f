import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { clientOf, said, text } from './a2a.ts';
import { type Answer, type Client, client, until } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { hasNatsServer } from './nats-server.ts';
import { type Platform, root, start, stopgo, type Workplace, workplace } from './platform.ts';
import { processesOf } from './processes.ts';

/** Tool servers that have the agent's model asked in the midst of calls, written with the official SDKs of both eras. */
const asking = join(root, 'services/mcp-bridge/test/fixtures/asking-server.mjs');
const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

type Line = { readonly done?: string; readonly name: string; readonly answer?: unknown };
/** What a request of Gemini holds that is looked at here. */
type Asked = {
  readonly contents: readonly { readonly role: string; readonly parts: readonly { readonly text?: string }[] }[];
  readonly systemInstruction?: unknown;
  readonly generationConfig?: unknown;
  readonly tools?: unknown;
};

function serversIn(place: Workplace): string {
  const server = (name: string, era: string, more: string) => `
  - name: ${name}
    command: node
    args: [${JSON.stringify(asking)}, ${JSON.stringify(join(place.folder, `${name}.journal`))}, stdio, ${name}_]
    era: ${era}
    ${more}`;
  return `
prompt: You use tools.
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(place.dataDir)}
mcp_servers:${server('old', 'legacy', 'sampling: allow')}${server('new', 'modern', 'sampling: allow')}
  ${server('oldshy', 'legacy', 'elicitation: [form]')}${server('newshy', 'modern', 'elicitation: [form]')}
  - name: everything
    command: node
    args: [${JSON.stringify(everything)}]
    sampling: allow
`;
}

const doneIn = (place: Workplace, server: string, name: string) =>
  readFileSync(join(place.folder, `${server}.journal`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.done !== undefined && line.name === name);

const call = (tool: string, args: object) => ({ message: `call ${tool} ${JSON.stringify(args)}` });
const answered = ({ body }: Answer) =>
  body.conversation.messages.flatMap(({ tool_call }) => (tool_call?.result === undefined ? [] : [tool_call])).at(-1);

let model: ScriptedModel;
beforeAll(async () => {
  model = await scriptedModel();
});
afterAll(() => model.stop());
let askedBefore: number;
beforeEach(async () => {
  askedBefore = (await model.requests()).length;
});

/** What models were asked in this test in the words of a tool server. */
async function askedFor(words: string): Promise<readonly Asked[]> {
  const requests = (await model.requests()).slice(askedBefore).map(({ body }) => body as Asked);
  return requests.filter(({ contents }) => contents.at(-1)?.parts.at(-1)?.text?.includes(words) === true);
}

describe('a platform that lets tool servers have the model asked', () => {
  let place: Workplace;
  let platform: Platform;
  let http: Client;

  beforeAll(async () => {
    place = workplace();
    platform = await start(place, serversIn(place), { command: 'start', env: model.env });
    http = client(platform.url);
  }, 60_000);

  afterAll(async () => {
    await platform.discard();
    place.remove();
  });

  test.each(['old', 'new'])(
    'asks it with nothing but what the server says, and gives the server its answer: %s era',
    async (era) => {
      const name = `${era}-tea`;
      await model.script({ match: `Draft ${name}.`, text: 'Dear tea.THE END of it.' });
      const done = await http.post('/conversations', call(`${era}_draft`, { name }));
      expect(done.status).toBe(201);
      expect(done.body.result).toMatchObject({ waiting_approval: false });
      const answer = {
        role: 'assistant',
        content: { type: 'text', text: 'Dear tea.' },
        model: expect.any(String),
        stopReason: 'stopSequence',
      };
      expect(doneIn(place, era, name)).toMatchObject([{ answer }]);
      expect(done.body.result.response).toContain(`drafted ${name}: {`);
      const [asked, ...more] = await askedFor(`Draft ${name}.`);
      expect(more).toEqual([]);
      expect(asked?.contents).toEqual([{ role: 'user', parts: [{ text: `Draft ${name}.` }] }]);
      expect(asked?.tools).toBeUndefined();
      expect(asked?.generationConfig).toMatchObject({ maxOutputTokens: 50 });
      expect(JSON.stringify(asked?.systemInstruction)).toContain('You draft.');
      expect(JSON.stringify(asked)).not.toContain('You use tools.');
    },
  );

  test('has a server of the first SDK answered too', async () => {
    await model.script({ match: 'Resource trigger-sampling-request context: hello', text: 'Sampled.' });
    const done = await http.post('/conversations', call('trigger-sampling-request', { prompt: 'hello' }));
    expect(answered(done)?.is_error).toBe(false);
    expect(answered(done)?.result).toContain('"text": "Sampled."');
  });

  test.each(['old', 'new'])(
    'tells the server when the model fails, and the conversation goes on: %s era',
    async (era) => {
      const name = `${era}-broken`;
      await model.script({ match: `Draft ${name}.`, error: { status: 400, message: 'not today' } });
      const done = await http.post('/conversations', call(`${era}_draft`, { name }));
      expect(answered(done)).toMatchObject({ is_error: true });
      expect(answered(done)?.result).toContain('there is no answer of a model');
      expect(done.body.result.response).toContain('there is no answer of a model');
      expect(platform.output()).toContain('not today');
    },
  );

  test.each(['oldshy', 'newshy'])('asks it nothing for a server that may only ask people: %s', async (server) => {
    const done = await http.post('/conversations', call(`${server}_draft`, { name: 'secretly' }));
    expect(answered(done)).toMatchObject({ is_error: true });
    expect(answered(done)?.result).toMatch(/sampling/u);
    expect(await askedFor('Draft secretly.')).toEqual([]);
    expect(doneIn(place, server, 'secretly')).toEqual([]);
  });

  test('shows the run as worked on while the model thinks, asks nobody, and ends when it is canceled', async () => {
    await model.script({ match: 'Draft slowly.', hang: true });
    const asked = http.post('/conversations', call('new_draft', { name: 'slowly' }));
    await until('the model is asked', async () => ((await askedFor('Draft slowly.')).length > 0 ? true : undefined));
    const path = `/conversations/${(await http.get('/conversations?limit=1')).body.conversations[0]?.id}`;
    const { conversation } = (await http.get(path)).body;
    expect(conversation).toMatchObject({ run: { status: 'working' }, pending_approvals: [] });
    expect(conversation).not.toHaveProperty('pending_inputs.0');
    const canceled = await http.post(`${path}/cancel`, {});
    expect(canceled.body.conversation.run?.status).toBe('canceled');
    await asked;
    await model.release();
    expect(doneIn(place, 'new', 'slowly')).toEqual([]);
  });

  test('is at work all the while to another agent too', async () => {
    await model.script({ match: 'Draft watched.', text: 'Dear watcher.' });
    const peer = await clientOf(platform.url);
    const states: (number | undefined)[] = [];
    const message = said([text('call old_draft {"name":"watched"}')]);
    for await (const { payload } of peer.sendMessageStream(message))
      if (payload?.$case === 'task' || payload?.$case === 'statusUpdate') states.push(payload.value.status?.state);
    expect(states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(states).not.toContain(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(doneIn(place, 'old', 'watched')).toHaveLength(1);
  });

  test('has all of it on the record', async () => {
    await model.script({ match: 'Draft recorded.', text: 'Dear record.' });
    await model.script({ match: 'Draft lost.', error: { status: 400, message: 'not today' } });
    const done = await http.post('/conversations', call('new_draft', { name: 'recorded' }));
    const failed = await http.post('/conversations', call('new_draft', { name: 'lost' }));
    await platform.end('SIGTERM');
    const verified = await stopgo(['verify', '--data-dir', place.dataDir]);
    expect(verified.code, verified.output).toBe(0);
    const factsOf = async (id: string | undefined) => {
      const { output } = await stopgo(['events', id ?? '', '--data-dir', place.dataDir, '--json']);
      return output;
    };
    const told = await factsOf(done.body.conversation.id);
    for (const words of ['Draft recorded.', 'You draft.', 'Dear record.', 'endTurn', 'outputTokens'])
      expect(told).toContain(words);
    expect(await factsOf(failed.body.conversation.id)).toContain('not today');
    platform = await start(place, serversIn(place), { command: 'start', env: model.env });
    http = client(platform.url);
  });
});

describe.skipIf(!hasNatsServer)('with the services as processes', () => {
  let place: Workplace;
  let platform: Platform;
  let http: Client;

  beforeAll(async () => {
    place = workplace();
    const args = ['--replicas', 'orchestrator=2'];
    platform = await start(place, serversIn(place), { command: 'services', args, env: model.env });
    http = client(platform.url);
  }, 90_000);

  afterAll(async () => {
    await platform.discard();
    place.remove();
  });

  test('a model that was asked by an orchestrator which is killed is asked again by another, and the call is one call', async () => {
    await model.script({ match: 'Draft twice.', hang: true });
    const first = http.post('/conversations', call('new_draft', { name: 'twice' })).catch(() => undefined);
    await until('the model is asked', async () => ((await askedFor('Draft twice.')).length > 0 ? true : undefined));
    await model.script({ match: 'Draft twice.', text: 'Done again.' });
    const { conversations } = (await http.get('/conversations?limit=1')).body;
    const path = `/conversations/${conversations[0]?.id}`;
    const orchestrators = processesOf(place.folder).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('service\0orchestrator'),
    );
    expect(orchestrators).toHaveLength(2);
    for (const pid of orchestrators) process.kill(pid, 'SIGKILL');
    const seen = await until(
      'the run has gone on',
      async () => {
        const now = await http.get(path);
        return now.body.conversation?.run?.status === 'completed' ? now : undefined;
      },
      60_000,
    );
    expect(JSON.stringify(seen.body.conversation.messages)).toContain('Done again.');
    expect(doneIn(place, 'new', 'twice')).toHaveLength(1);
    expect(await askedFor('Draft twice.')).toHaveLength(2);
    await model.release();
    await first;
  }, 120_000);
});
