import { afterEach, expect, test, vi } from 'vitest';
import { NotSent } from '../src/failures.ts';
import { createHttpFetch } from '../src/http-fetch.ts';

afterEach(() => vi.unstubAllGlobals());

/** What `fetch` throws when the system call fails; no host that a test can reach makes these happen at will. */
function failing(code: string, syscall?: string): void {
  const cause = Object.assign(new Error(`${syscall} ${code}`), { code, ...(syscall === undefined ? {} : { syscall }) });
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed', { cause })));
}

const send = () =>
  createHttpFetch({ messageBytesMax: 1_000, requestsOpenMax: 10 })('https://tools.example/mcp?key=abc', {
    method: 'POST',
    body: 'call',
  });

test.each([
  ['EHOSTUNREACH', 'connect'],
  ['ENOTFOUND', 'getaddrinfo'],
  ['ECONNREFUSED', undefined],
])('%s by %s: nothing was sent', async (code, syscall) => {
  failing(code, syscall);
  await expect(send()).rejects.toEqual(new NotSent(`no connection to https://tools.example/mcp (${code})`));
});

test.each([
  ['EHOSTUNREACH', 'read'],
  ['ENETUNREACH', 'write'],
  ['ECONNRESET', 'read'],
])('%s by %s: the connection had been made, so the request may have arrived', async (code, syscall) => {
  failing(code, syscall);
  const error: unknown = await send().catch((thrown: unknown) => thrown);
  expect(error).not.toBeInstanceOf(NotSent);
  expect(error).toEqual(new Error(`connection to https://tools.example/mcp lost (${code})`));
});
