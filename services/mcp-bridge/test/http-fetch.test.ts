import { MockAgent } from 'undici';
import { expect, test } from 'vitest';
import { NotSent } from '../src/failures.ts';
import { createHttpFetch } from '../src/lines/http-fetch.ts';

/** A request whose system call fails; no host that a test can reach makes these happen at will. */
function send(code: string, syscall?: string) {
  const failure = Object.assign(new Error(`${syscall} ${code}`), {
    code,
    ...(syscall === undefined ? {} : { syscall }),
  });
  const connections = new MockAgent();
  connections.get('https://tools.example').intercept({ path: '/mcp?key=abc', method: 'POST' }).replyWithError(failure);
  const fetch = createHttpFetch({ messageBytesMax: 1_000, messageValuesMax: 1_000, requestsOpenMax: 10, connections });
  return fetch('https://tools.example/mcp?key=abc', { method: 'POST', body: 'call' });
}

test.each([
  ['EHOSTUNREACH', 'connect'],
  ['ENOTFOUND', 'getaddrinfo'],
  ['ECONNREFUSED', undefined],
])('%s by %s: nothing was sent', async (code, syscall) => {
  await expect(send(code, syscall)).rejects.toEqual(
    new NotSent(`no connection to https://tools.example/mcp (${code})`),
  );
});

test.each([
  ['EHOSTUNREACH', 'read'],
  ['ENETUNREACH', 'write'],
  ['ECONNRESET', 'read'],
])('%s by %s: the connection had been made, so the request may have arrived', async (code, syscall) => {
  const error: unknown = await send(code, syscall).catch((thrown: unknown) => thrown);
  expect(error).not.toBeInstanceOf(NotSent);
  expect(error).toEqual(new Error(`connection to https://tools.example/mcp lost (${code})`));
});
