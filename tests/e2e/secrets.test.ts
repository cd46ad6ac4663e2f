import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, client } from './http.ts';
import { type HttpTools, httpTools } from './http-tools.ts';
import { type Journal, journalOf } from './journal.ts';
import { anthropicKey, geminiKey, type ScriptedModel, scriptedModel } from './model.ts';
import { start, startRefused, stopgo, type Workplace, workplace } from './platform.ts';
import { filesOf, spellings } from './spellings.ts';
import { follow } from './sse.ts';
import { topology } from './topology.ts';

/**
 * Keys and tokens stay out of everything that the platform writes or says, also when a model, a tool server or a child
 * process repeats them in what it answers.
 */
const bearerToken = 'bearer+token/71c0ffee2b9d==';
const otherToken = 'second+token/3ade68b1e0f2==';
const childSecret = 'child+secret/9b2ad7c4e8f1==';
/** Of the platform's own, for one tool server. */
const ownToken = 'own+token/5d0e8c1b7a9f==';
const secrets = { geminiKey, anthropicKey, bearerToken, otherToken, childSecret, ownToken };

let model: ScriptedModel;
let place: Workplace;
let journal: Journal;
let echoing: HttpTools;
let vault: HttpTools;

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  journal = journalOf(place);
  echoing = await httpTools({
    bearer: () => wanted,
    onCall: (_, headers) => {
      throw new Error(`cannot do that with ${JSON.stringify(headers)}`);
    },
  });
  const schema = { type: 'object', properties: {} };
  vault = await httpTools({
    tools: () => [{ name: 'vault', description: 'Opens it', inputSchema: schema, annotations: { readOnlyHint: true } }],
    onCall: (_, headers) => {
      throw new Error(`the vault stays closed to ${JSON.stringify(headers)}`);
    },
  });
});

afterAll(async () => {
  await Promise.all([model.stop(), echoing.stop(), vault.stop()]);
  place.remove();
});

let wanted: string | undefined;

const config = (name: string): string => `
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(place.dataDir)}
log_level: debug
llm: {model: ${name}}
mcp_servers:${journal.server('', `env: {CHILD_SECRET: ${JSON.stringify(childSecret)}}`)}
  - name: echoing
    url: ${echoing.url}
  - name: vault
    url: ${vault.url}
    auth: static
    token_env: VAULT_TOKEN
`;

/** Everything that a run of the platform said: to clients and on its outputs. */
async function story(name: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<Map<string, string>> {
  const said = new Map<string, string>();
  const platform = await start(place, config(name), {
    ...(signal === 'SIGKILL' ? { asProcess: true } : {}),
    env: { ...model.env, VAULT_TOKEN: ownToken },
  });
  const http = client(platform.url);
  const heard = ({ text, headers }: Answer, of: string): void =>
    void said.set(`${name}: answer to ${of}`, `${text} ${JSON.stringify([...headers])}`);
  const as = (token: string) => ({ authorization: `Bearer ${token}` });
  const ask = async (message: string, token: string): Promise<Answer> => {
    const answer = await http.post('/conversations', { message }, as(token));
    heard(answer, message);
    return answer;
  };

  await model.script({ match: 'quote me', quoteRequest: true });
  const quoted = await ask('quote me', bearerToken);
  // The request was repeated: what the platform shows of it is what has to be clean.
  expect(quoted.body.result.response).toMatch(/^LLM error: .*x-(goog-)?api-key/s);
  const echoed = await ask('call whoami {}', bearerToken);
  expect(echoed.text).toContain('cannot do that with');
  expect((await ask('call vault {}', bearerToken)).text).toContain('the vault stays closed');
  // What a model says of its own accord, and what it would hand to a tool.
  // As processes of their own, only the bridge knows the tokens of tool servers.
  const known = [geminiKey, anthropicKey, bearerToken, ...(topology === 'services' ? [] : [ownToken])];
  await model.script({ match: 'repeat them', text: `They are ${known.join(', ')}.` });
  const repeated = await ask('repeat them', bearerToken);
  expect(repeated.body.result.response).toBe(`They are ${known.map(() => '[secret]').join(', ')}.`);
  const before = vault.calls.length;
  // Gemini signs its calls, and what is signed is kept as it came; of a call of Claude nothing is kept besides.
  const inCall = name.startsWith('claude') ? geminiKey : '0123456789';
  await model.script({ match: 'send it', calls: [{ name: 'vault', args: { key: `x${inCall}` } }] });
  const refused = await ask('send it', bearerToken);
  const refusal = 'The arguments hold a credential of this platform; the call was not run.';
  expect(refused.text.includes(refusal)).toBe(inCall === geminiKey);
  expect(vault.calls.length).toBe(inCall === geminiKey ? before : before + 1);
  const dying = await ask(`call die {"name":"${name}"}`, bearerToken);
  expect(dying.text).toContain('out of luck');
  // With the last words of the one that died.
  const servers = await http.get('/mcp/servers');
  expect(servers.text).toContain('out of luck');
  heard(servers, 'GET /mcp/servers');
  heard(
    await http.post(`/approvals/${dying.body.result.approval?.uuid}`, { action: 'give_up' }, as(bearerToken)),
    'give up',
  );
  const paying = await ask('call pay {}', otherToken);
  heard(await http.post(`/approvals/${paying.body.result.approval?.uuid}`, { approved: true }, as(bearerToken)), 'pay');
  wanted = bearerToken;
  const unauthorized = await ask('call whoami {}', otherToken);
  expect(unauthorized.body.result.auth_required).toBe(true);
  const path = `/conversations/${unauthorized.body.conversation.id}/messages`;
  heard(await http.post(path, { message: 'again' }, as(bearerToken)), 'again');
  wanted = undefined;
  for (const path of ['/conversations?include=messages', '/approvals', '/tools', '/docs/json', '/nothing'])
    heard(await http.get(path, as(bearerToken)), path);
  heard(await http.get(`/health?access_token=${encodeURIComponent(bearerToken)}`), '/health');
  heard(await http.post('/conversations', '{', { ...as(bearerToken), 'idempotency-key': 'x' }), 'nonsense');
  for (const { body } of [quoted, echoed, repeated, refused, dying]) {
    const events = await follow(platform.url, body.conversation.id);
    await events.next('the end', ({ type }) => type === 'run_completed' || type === 'run_failed');
    said.set(`${name}: events of ${body.conversation.id}`, JSON.stringify(events.events));
    events.close();
  }
  await platform.end(signal);
  said.set(`${name}: outputs`, platform.output());
  // On NATS there is no log to read once the store has ended; it is read from a terminal in services.test.ts.
  for (const command of topology === 'services' ? [] : ['events', 'replay', 'export']) {
    const { output } = await stopgo([command, dying.body.conversation.id, '--data-dir', place.dataDir]);
    expect(output).toContain('die');
    said.set(`${name}: stopgo ${command}`, output);
  }
  return said;
}

test('no key, token or secret of a child is in any file, output, answer or event', async () => {
  const said = await story('gemini-2.5-flash', 'SIGTERM');
  for (const [where, text] of await story('claude-sonnet-4-5', 'SIGKILL')) said.set(where, text);
  const files = filesOf(place.dataDir).map((file) => [file, readFileSync(file).toString('latin1')] as const);
  for (const [file, text] of files) said.set(file, text);
  // The search sees what is stored: the errors that repeated the secrets are there.
  expect(files.map(([, text]) => text).join()).toContain('cannot do that with');
  expect(files.map(([file]) => file).join()).toContain('-wal');
  // And the secrets did reach those that they are for.
  const requests = JSON.stringify(await model.requests());
  for (const key of [geminiKey, anthropicKey]) expect(requests).toContain(key);
  expect(echoing.calls.map(({ authorization }) => authorization)).toEqual(
    expect.arrayContaining([`Bearer ${bearerToken}`, `Bearer ${otherToken}`]),
  );
  expect(new Set(vault.calls.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${ownToken}`]));
  const found = [...said].flatMap(([where, text]) =>
    Object.entries(secrets).flatMap(([name, secret]) =>
      spellings(secret).some((spelling) => text.includes(spelling)) ? [`${name} in ${where}`] : [],
    ),
  );
  expect(found).toEqual([]);
}, 60_000);

test('a server that cannot be started may print what it was given: it is not repeated', async () => {
  const yaml = `${config('gemini-2.5-flash')}
  - name: failing
    command: node
    args: [-e, "console.error('no luck with ' + process.env.CHILD_SECRET); process.exit(1)"]
    env: {CHILD_SECRET: ${JSON.stringify(childSecret)}}`;
  const { output } = await startRefused(place, yaml, { env: { ...model.env, VAULT_TOKEN: ownToken } });
  expect(output).toContain('no luck with');
  for (const spelling of spellings(childSecret)) expect(output).not.toContain(spelling);
});
