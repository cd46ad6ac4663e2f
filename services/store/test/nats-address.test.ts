import { DomainError } from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import { parseNatsUrl, secretsOfNatsUrl } from '../src/adapters/nats/address.ts';

describe('the address of NATS', () => {
  test.each<[string, string, readonly string[], object]>([
    ['without credentials', '127.0.0.1', ['127.0.0.1:4222'], { kind: 'none' }],
    [
      'with a password full of what addresses are made of',
      'nats://ann:9%40b%2F%3A1%2C@one:4333',
      ['one:4333'],
      { kind: 'user', user: 'ann', password: '9@b/:1,' },
    ],
    ['with a token', 'nats://s3cret@one', ['one:4222'], { kind: 'token', token: 's3cret' }],
    [
      'of several servers, named once',
      'nats://ann:pw@one, two:1, nats://[::1]:2',
      ['one:4222', 'two:1', '[::1]:2'],
      { kind: 'user', user: 'ann', password: 'pw' },
    ],
  ])('%s', (_, url, servers, credentials) => {
    const parsed = parseNatsUrl(url);
    expect(parsed).toMatchObject({ servers, credentials, shown: servers.join(','), tls: false });
  });

  test.each([
    'http://ann:hunter22@one',
    'nats://ann:hunter22@one:port',
    'nats://ann:hunter22@',
    'nats://ann:hunter22@one/path',
    'nats://ann:hunter22%zz@one',
    'nats://ann:hunter22@one,nats://bob:hunter22@two',
    'nats://ann:hun/ter22@one',
    ',',
  ])('%s is refused in a line without its password', (url) => {
    const line = thrown(() => parseNatsUrl(url));
    expect(line).toMatch(/^NATS_URL .*(expected nats:\/\/|the same)/);
    for (const secret of ['hunter22', 'hun/ter22', 'ter22']) expect(line).not.toContain(secret);
  });

  test('its secrets are known in every spelling, also when it cannot be read', () => {
    expect(secretsOfNatsUrl('nats://ann:9%40b@one,two')).toEqual(expect.arrayContaining(['9%40b', '9@b']));
    expect(secretsOfNatsUrl('nats://s3cret@one')).toContain('s3cret');
    expect(secretsOfNatsUrl('nats://ann:hunter22@one:port')).toContain('hunter22');
    expect(secretsOfNatsUrl('nats://one:4222')).toEqual([]);
  });

  test('tls is asked for by its name', () => expect(parseNatsUrl('tls://one').tls).toBe(true));
});

function thrown(use: () => unknown): string {
  try {
    use();
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'failed_precondition') return error.message;
    throw error;
  }
  return 'nothing thrown';
}
