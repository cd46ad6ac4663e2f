import { expect, test, vi } from 'vitest';
import { ANTHROPIC_KEY, ask, GEMINI_KEY } from './fixture.ts';
import { generateFrom, sse } from './raw-server.ts';

// In a file of its own: an SDK keeps the functions of the console that it saw first.

test.each([
  ['gemini-2.5-flash', ''],
  ['claude-sonnet-5-5', 'event: message_delta\n'],
  ['openai:gpt-5', ''],
])('%s: what a broken event quotes reaches no log', async (model, event) => {
  const logs = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) => vi.spyOn(console, level));
  const start = { type: 'message_start', message: { content: [], usage: { input_tokens: 3, output_tokens: 1 } } };
  const body = `${sse(start, 'message_start')}${event}data: {"x-api-key":"${ANTHROPIC_KEY} ${GEMINI_KEY}\n\n`;
  const outcome = await generateFrom(body, model, ask(model, 'hi'));
  expect(outcome).toMatchObject({ message: expect.stringContaining('the answer could not be read') });
  expect(JSON.stringify(outcome)).not.toContain('secret');
  for (const log of logs) expect(log).not.toHaveBeenCalled();
});
