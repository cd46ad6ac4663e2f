import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ModelMessage } from '../../src/models/index.ts';
import { answerOf, ask, NEVER, recorded, startFixture } from './fixture.ts';

// Pictures that calls returned, over HTTP through the SDK of each provider.

let fixture: Awaited<ReturnType<typeof startFixture>>;
beforeAll(async () => {
  fixture = await startFixture();
});
afterEach(() => fixture.reset());
afterAll(() => fixture.stop());

/** The result of a message's only call, with a picture. */
function pictured({ calls: [call] }: ReturnType<typeof recorded>, isError: boolean): ModelMessage {
  if (call === undefined) throw new Error('no call');
  const bytes = Buffer.from('89504e47', 'hex');
  const media = [{ digest: 'd', mediaType: 'image/png', size: bytes.byteLength, bytes, leftOut: '' }];
  const { argumentsJson: _, ...of } = call;
  return { role: 'tool', results: [{ ...of, content: 'it stopped', isError, media }] };
}

describe.each([
  ...['gemini-2.5-flash', 'gemini-3-pro', 'claude-sonnet-5-5', 'openai:gpt-5', 'mistral:mistral-large-latest'],
  ...['groq:openai/gpt-oss-120b', 'openrouter:deepseek/deepseek-r1:free', 'ollama:qwen3:8b'],
])('%s', (model) => {
  const wish = 'list all resources';
  const generate = async (...messages: Parameters<typeof ask>[1][]) =>
    answerOf(
      await fixture
        .models()
        .forModel(model)
        .generate(ask(model, ...messages), { signal: NEVER }),
    );

  test('is shown a picture that a failed call returned beside its error, in the first request', async () => {
    const first = recorded(await generate(wish));
    await fixture.reset();
    const { text } = await generate(wish, first, pictured(first, true));
    expect(text).toMatch(/^resources_list was not carried out: it stopped\n\nI was shown image\/png of 4 bytes/);
    expect(await fixture.requests()).toHaveLength(1);
  });

  test.each([true, false])(
    'hears the user who says something after media of a stopped run: error %s',
    async (isError) => {
      const first = recorded(await generate(wish));
      const { calls } = await generate(wish, first, pictured(first, isError), 'add a value 1');
      expect(calls).toMatchObject([{ name: 'resources_add' }]);
    },
  );
});
