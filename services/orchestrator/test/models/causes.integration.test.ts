import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ask, NEVER, startFixture } from './fixture.ts';

/** What a failure is told as, by each kind of provider. */
let fixture: Awaited<ReturnType<typeof startFixture>>;
beforeAll(async () => {
  fixture = await startFixture();
});
afterEach(() => fixture.reset());
afterAll(() => fixture.stop());

const tooLong = 'the conversation is too long for the model: ';

describe.each([
  ['openai:gpt-5', "This model's maximum context length is 9 tokens."],
  ['mistral:large', 'Prompt contains 9 tokens, too large for model with 8 maximum context length'],
  ['groq:llama', 'Please reduce the length of the messages or completion.'],
  ['claude-sonnet-4-5', 'prompt is too long: 9 tokens > 8 maximum'],
  ['gemini-2.5-flash', 'The input token count (9) exceeds the maximum number of tokens allowed (8).'],
])('%s', (model, long) => {
  test.each([
    ['a key that is not taken', 401, 'no entry', 'unauthorized', 'no entry'],
    ['an account without money', 402, 'pay', 'unauthorized', 'pay'],
    ['an account that may not', 403, 'no entry', 'unauthorized', 'no entry'],
    ['a key that is told as a wrong request', 400, 'API key not valid.', 'unauthorized', 'API key not valid.'],
    ['a model that is not there', 404, 'no such model', 'unknown_model', 'no such model'],
    ['a conversation that is too long', 400, long, 'too_long', tooLong + long],
    ['a wrong request', 400, 'the context is wrong', undefined, 'the context is wrong'],
  ])('%s is told as such, and not tried again', async (_, status, message, cause, said) => {
    await fixture.script({ error: { status, message } });
    const outcome = await fixture.models().forModel(model).generate(ask(model, 'hi'), { signal: NEVER });
    if (outcome.kind === 'answer') throw new Error('it is a failure');
    expect([outcome.message.endsWith(`: ${said}`), outcome.cause]).toEqual([true, cause]);
    expect(await fixture.requests()).toHaveLength(1);
  });
});
