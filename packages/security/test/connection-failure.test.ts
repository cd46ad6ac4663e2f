import { expect, test } from 'vitest';
import { connectionFailure } from '../src/index.ts';

const failed = (cause: object) => new TypeError('fetch failed', { cause: Object.assign(new Error('no'), cause) });

test.each([
  ['the host refuses', { code: 'ECONNREFUSED', syscall: 'connect' }],
  ['nobody knows the name', { code: 'ENOTFOUND', syscall: 'getaddrinfo' }],
  ['the host does not answer', { code: 'ETIMEDOUT', syscall: 'connect' }],
  ['none of several addresses answers', { code: 'ETIMEDOUT', errors: [] }],
  ['undici waited for long enough', { code: 'UND_ERR_CONNECT_TIMEOUT' }],
  ['the certificate is for another', { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }],
])('%s: nothing was sent', (_, cause) => {
  expect(connectionFailure(failed(cause))).toEqual({ code: cause.code, wasNeverMade: true });
});

test.each([
  ['it became unreachable while the answer was read', { code: 'EHOSTUNREACH', syscall: 'read' }],
  ['it became unreachable while the request was written', { code: 'ETIMEDOUT', syscall: 'write' }],
  ['it was cut', { code: 'ECONNRESET' }],
])('%s: something may have arrived', (_, cause) => {
  expect(connectionFailure(failed(cause))).toEqual({ code: cause.code, wasNeverMade: false });
});

test('what says nothing of a connection', () => {
  expect(connectionFailure(new Error('no'))).toBeUndefined();
  expect(connectionFailure('no')).toBeUndefined();
});
