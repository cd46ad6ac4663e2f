import { afterEach, describe, expect, test } from 'vitest';
import { createHttpClient } from '../src/client/index.ts';
import { agent, closeAgent, saying } from './raw-agent.ts';

afterEach(closeAgent);

describe('data that has a member of that name', () => {
  const data = { data: { deep: 1 } };
  const wrapped = { data };
  const update = (parts: readonly object[]) => ({
    artifactUpdate: { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts } },
  });
  const task = (parts: readonly object[], history: readonly object[] = []) => ({
    ...{ id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } },
    artifacts: [{ artifactId: 'a', parts }],
    history,
  });
  const user = { messageId: 'm', role: 'ROLE_USER' };
  const read = async (base: string, ...events: readonly object[]) => {
    const { url } = await agent((_, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    });
    const values: unknown[] = [];
    for await (const { event } of createHttpClient().streamMessage(`${url}${base}`, { text: 'bake' })) {
      const payload = event?.payload;
      if (payload?.$case === 'artifactUpdate') values.push(payload.value.artifact?.parts[0]?.content?.value);
    }
    return values;
  };

  test.each([
    ['1.0', '', [], data],
    ['1.0 whose task was seen before, at an address that ends as those of 0.3', '/v1', [{ ...user, parts: [] }], data],
    ['0.3', '/v1', [], data.data],
    ['0.3 whose task was seen before, at an address of its own', '', [{ ...user, content: [] }], data.data],
  ])('arrives over a stream of HTTP+JSON as an agent of %s sent it', async (_, base, history, expected) => {
    expect(await read(base, { task: task([], history) }, update([wrapped]))).toEqual([expected]);
  });

  test.each([
    ['another part that has a media type', [wrapped, { text: 'x', mediaType: 'text/plain' }], data],
    ['other data', [wrapped, { data: [1] }], data],
    ['a file as 0.3 has them', [wrapped, { file: { fileWithUri: 'https://a.example/b' } }], data.data],
  ])('arrives as it was sent where %s shows the version', async (_, parts, expected) => {
    for (const base of ['', '/v1']) {
      const { url } = await agent(saying(task(parts)));
      const { artifacts } = await createHttpClient().getTask(`${url}${base}`, 't');
      expect(artifacts[0]?.parts[0]?.content?.value).toEqual(expected);
      closeAgent();
    }
  });
});
