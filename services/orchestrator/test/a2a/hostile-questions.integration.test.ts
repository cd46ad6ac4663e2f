import { argumentsBytesMax, descriptionBytesMax, remoteQuestionsMax } from '@stopgo/core';
import { afterEach, expect, test } from 'vitest';
import { Errand, peer } from '../driver/errands.ts';
import { client, never, order } from './orders.ts';
import { cardOf, isCard, type ScriptedAgent, scriptedAgent, sendJson } from './scripted-agent.ts';

/** What an agent may show where it should show a question: nothing of it ends more than the delegation, or is approved unseen. */

const open: ScriptedAgent[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const data = (members: string) => `{"data":{${members}}}`;
const pays = (members: string) => data(`"approval_id":"q","tool":"pay",${members}`);
const many = Array.from({ length: 200 }, (_, at) => data(`"approval_id":"q${at}","tool":"pay"`)).join();

/** Puts what an agent's task shows, parts of a message as a text of JSON, on the record of a run that waits for it. */
async function shown(parts: string) {
  const agent = await scriptedAgent((request, response) => {
    if (isCard(request)) return sendJson(response, cardOf(`http://${request.headers.host}/a2a`));
    const message = `{"messageId":"m","role":"ROLE_AGENT","parts":${parts}}`;
    const task = `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":${message}}}`;
    const answer = `{"jsonrpc":"2.0","id":${request.rpc.id},"result":${task}}`;
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  });
  open.push(agent);
  const found = await client().lookUp(order(`${agent.origin}/a2a`, { taskId: 't' }), never);
  if (found.kind !== 'asks') throw new Error(`nothing is asked, but it is ${found.kind}`);
  const node = { type: 'a2a', name: 'peer', agent: peer, prompt: '', approval: 'default' } as const;
  const errand = new Errand(node, { delegate: [found] });
  await errand.first().ended;
  return errand;
}

test.each([
  ['half of a character in what is bound', `[${pays('"arguments":{"to":"\\ud800"}')}]`],
  ['half of a character in an id', `[${data('"approval_id":"q\\udc00","tool":"pay"')}]`],
  ['arguments without a bottom', `[${pays(`"arguments":${nested(5_000)}`)}]`],
  ['two questions of one name', `[${pays('"arguments":{"sum":1}')},${pays('"arguments":{"sum":2}')}]`],
])('%s: the delegation has failed, and nobody is asked', async (_, parts) => {
  const errand = await shown(parts);
  expect(errand.all('approvalRequested')).toEqual([]);
  expect(errand.all('delegationFinished')).toMatchObject([
    { isError: true, content: expect.stringContaining('what cannot be bound to an answer') },
  ]);
  expect(errand.names.at(-1)).toMatch(/^run(Completed|Failed)$/);
});

test.each([
  [
    'half of a character in names and words',
    `[{"text":"May\\ud800"},${pays('"server":"\\udfff","agents":["\\ud800"]')}]`,
  ],
  [
    'characters that turn what is read around',
    `[${pays('"description":"\\u202eyap","arguments":{"to":"\\u202ebob"}')}]`,
  ],
  [
    'members of other kinds',
    `[${pays('"arguments":"all","choices":[7,{}],"agents":"x","server":{},"description":[]')}]`,
  ],
  ['arguments that are null', `[${pays('"arguments":null')}]`],
  [
    'names of what every object has',
    `[${data('"approval_id":"__proto__","tool":"constructor","arguments":{"__proto__":{"a":1}}')}]`,
  ],
  ['a number that is none', `[${pays('"arguments":{"sum":1e999}')}]`],
  ['an id that is too long', `[{"text":"May I?"},${data(`"approval_id":"${'q'.repeat(100_000)}","tool":"pay"`)}]`],
  ['names that are too long', `[${pays(`"server":"${'s'.repeat(100_000)}","description":"${'d'.repeat(100_000)}"`)}]`],
])('%s: it is asked, and everything that is shown can be read', async (_, parts) => {
  const [asked, ...others] = (await shown(parts)).all('approvalRequested');
  expect(others).toEqual([]);
  const { description = '', tool = '', server = '', choices, question } = asked ?? {};
  const texts = [description, tool, server, question?.argumentsJson ?? '', ...(question?.agents ?? [])];
  for (const text of texts) expect(text).not.toMatch(/\p{Surrogate}/u);
  expect(description).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  expect(choices).toEqual(['approve', 'reject']);
  expect(Buffer.byteLength(description)).toBeLessThanOrEqual(descriptionBytesMax);
  expect(Math.max(tool.length, server.length)).toBeLessThanOrEqual(1_000);
});

test('arguments that are too long to be shown can only be declined', async () => {
  const errand = await shown(`[${pays(`"arguments":{"to":"${'x'.repeat(argumentsBytesMax)}"}`)}]`);
  expect(errand.all('approvalRequested')).toMatchObject([{ choices: ['reject'], question: { argumentsJson: '' } }]);
});

test('of very many questions some are asked', async () => {
  const { length } = (await shown(`[${many}]`)).all('approvalRequested');
  expect(length).toBeGreaterThan(0);
  expect(length).toBeLessThanOrEqual(remoteQuestionsMax);
});
