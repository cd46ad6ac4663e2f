import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { foreignCheck } from '@stopgo/http/node';
import { describe, expect, test } from 'vitest';

const rules = { host: '127.0.0.1', allowedOrigins: ['https://Desk.example'], allowedHosts: ['box.test'] };
const own = { host: 'localhost:8080' };

describe('a request', () => {
  test.each([
    ['of a program', own, undefined],
    ['of a page of the server itself', { ...own, origin: 'http://localhost:8080' }, undefined],
    [
      'of a page that is allowed',
      { ...own, origin: 'https://desk.example', 'sec-fetch-site': 'cross-site' },
      undefined,
    ],
    ['of a page of another port', { ...own, origin: 'http://localhost:9090' }, 'another origin'],
    ['of a page that hides where it is from', { ...own, origin: 'null' }, 'another origin'],
    ['of a foreign form', { ...own, 'sec-fetch-site': 'Cross-Site' }, 'cross-site'],
    ['to an allowed host', { host: 'BOX.test:1' }, undefined],
    ['to IPv6', { host: '[::1]:8080' }, undefined],
    ['to a name that only leads here', { host: 'evil.test' }, 'does not name this machine'],
    ['to nobody', {}, 'does not name this machine'],
  ] as const)('%s', (_, headers, refused) => {
    const why = foreignCheck(rules)(headers);
    if (refused === undefined) expect(why).toBeUndefined();
    else expect(why).toContain(refused);
  });

  test('to any name, where more than this machine is listened to', () => {
    expect(foreignCheck({ ...rules, host: '0.0.0.0' })({ host: 'evil.test' })).toBeUndefined();
  });
});

test('what needs nothing but Node imports nothing else, so that any server may use it', () => {
  const source = join(import.meta.dirname, '..', 'src');
  const seen = new Set<string>();
  const outside: string[] = [];
  const walk = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, from = ''] of readFileSync(join(source, file), 'utf8').matchAll(/from '([^']+)'/g))
      if (from.startsWith('./')) walk(from.slice(2));
      else if (!from.startsWith('node:')) outside.push(`${file} imports ${from}`);
  };
  walk('node.ts');
  expect([seen.size, outside]).toEqual([6, []]);
});
