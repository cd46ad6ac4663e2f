import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { foreignCheck } from '@stopgo/http/node';
import { describe, expect, test } from 'vitest';

const rules = { allowedOrigins: ['https://Desk.example'], allowedHosts: ['box.test'] };
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
    ['to another address of this machine', { host: '10.0.0.1:8080' }, undefined],
    ['to a name that only leads here', { host: 'evil.test' }, 'allowed_hosts'],
    [
      'of a page whose name leads here',
      { host: 'evil.test:8080', origin: 'http://evil.test:8080', 'sec-fetch-site': 'same-origin' },
      'allowed_hosts',
    ],
    ['to nobody', {}, 'allowed_hosts'],
  ] as const)('%s', (_, headers, refused) => {
    const why = foreignCheck(rules)(headers);
    if (refused === undefined) expect(why).toBeUndefined();
    else expect(why).toContain(refused);
  });
});

test('what needs nothing but Node imports nothing but that and @stopgo/security, so that any server may use it', () => {
  const source = join(import.meta.dirname, '..', 'src');
  const seen = new Set<string>();
  const outside: string[] = [];
  const walk = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, from = ''] of readFileSync(join(source, file), 'utf8').matchAll(/from '([^']+)'/g))
      if (from.startsWith('./')) walk(from.slice(2));
      else if (!from.startsWith('node:') && from !== '@stopgo/security') outside.push(`${file} imports ${from}`);
  };
  walk('node.ts');
  expect([seen.size, outside]).toEqual([5, []]);
});
