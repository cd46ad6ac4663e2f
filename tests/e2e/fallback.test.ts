import { afterEach, expect, test } from 'vitest';
import { freePort } from '../free-ports.ts';
import { follow } from './sse.ts';
import { type PlantedTree, plant } from './tree.ts';

/** Providers of the configuration that cannot answer, and what is asked in their place. */
let tree: PlantedTree;

afterEach(() => tree.end());

const prompt = 'You are asked first.';
const models = ['first:gpt-5', 'spare:claude-sonnet-4-5'];

const providersAt = (url?: string): string =>
  `providers: ${JSON.stringify({
    first: { type: 'OPENAI', ...(url === undefined ? {} : { api_key: 'env(OPENAI_API_KEY)', api_url: url }) },
    spare: { type: 'ANTHROPIC' },
  })}`;

/** Who answered, as the log has it once the run is over. */
async function answers(conversation: string) {
  const stream = await follow(tree.platform.url, conversation);
  await stream.next('the end of the run', ({ type }) => type === 'run_completed');
  stream.close();
  return stream.events.flatMap(({ type, data }) => (type === 'model_responded' ? [data.payload as Recorded] : []));
}

type Recorded = {
  readonly provider: string;
  readonly endpoint: string;
  readonly model: string;
  readonly usage: { readonly input_tokens: number; readonly cost_nano_usd: string };
};

test('a first provider that is down: the second answers, which is on the record with what it cost', async () => {
  const port = await freePort();
  tree = await plant({ prompt, models }, { more: providersAt(`http://127.0.0.1:${port}/v1`) });
  const { body } = await tree.ask('call look {"name":"about"}');
  expect(body.result.response).toBe('look returned: look about');
  const found = await answers(body.conversation.id);
  expect(found).toHaveLength(2);
  for (const one of found)
    expect(one).toMatchObject({ provider: 'anthropic', endpoint: 'spare', model: 'claude-sonnet-4-5' });
  const costs = found.map(({ usage }) => Number(usage.cost_nano_usd));
  expect(Math.min(...costs)).toBeGreaterThan(0);
  const read = await tree.http.get(`/conversations/${body.conversation.id}`);
  expect(read.body.conversation.run?.usage).toMatchObject({
    cost_nano_usd: costs.reduce((sum, cost) => sum + cost, 0),
    input_tokens: found.reduce((sum, { usage }) => sum + usage.input_tokens, 0),
  });
  await tree.platform.end('SIGTERM');
  expect(tree.platform.output()).toContain('a model could not answer; another one is asked');
});

test('an answer that breaks off in the middle is given anew by the next provider, and no part of it stays', async () => {
  tree = await plant({ prompt, models }, { more: providersAt() });
  await tree.model.script({ prompt, truncateStream: true, text: 'Half of an answer' }, { prompt, text: 'All of it.' });
  const { body } = await tree.ask('Tell me.');
  expect(body.result.response).toBe('All of it.');
  expect(await answers(body.conversation.id)).toMatchObject([{ endpoint: 'spare' }]);
  expect(body.conversation.messages.filter(({ role }: { role: string }) => role === 'assistant')).toHaveLength(1);
});

test('what the first provider refuses for its content is not taken to another one', async () => {
  tree = await plant({ prompt, models }, { more: providersAt() });
  await tree.model.script({ prompt, error: { status: 400, message: 'this is not said here' } });
  const { body } = await tree.ask('Tell me.');
  expect(body.result.response).toContain('this is not said here');
  expect(await tree.asked(prompt)).toHaveLength(1);
});
