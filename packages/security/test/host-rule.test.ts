import { hostRule } from '@stopgo/security';
import { describe, expect, test } from 'vitest';

const refusal = hostRule({
  allowedHosts: ['agent.test', 'Other.test:99'],
  publicUrl: 'https://desk.example:8443/agents',
});

describe('a Host header', () => {
  test.each([
    'localhost',
    'LOCALHOST:1',
    'localhost.',
    'localhost.:8080',
    '127.0.0.1',
    '127.0.0.1:8080',
    '10.1.2.3:8080',
    '93.184.216.34',
    '[::1]',
    '[::1]:8080',
    '[2001:DB8::1]:8080',
    'agent.test',
    'AGENT.test:7',
    'agent.test.',
    'agent.test.:7',
    'other.test:99',
    'desk.example',
    'desk.example:8443',
    'desk.example:1',
  ])('of %s is answered', (host) => {
    expect(refusal(host)).toBeUndefined();
  });

  test.each([
    undefined,
    '',
    'evil.test',
    'localhost.evil.test',
    'evil.localhost',
    '127.0.0.1.evil.test',
    '127.0.0.1..',
    'xagent.test',
    'agent.test.evil.test',
    'other.test',
    'other.test:98',
    'localhost@evil.test',
    'evil.test@localhost',
    'localhost:80:80',
    'localhost:x',
    '[evil.test]',
    '[127.0.0.1]',
    '::1',
    'http://localhost',
    'localhost/',
    // A browser never sends these spellings of 127.0.0.1: it writes the usual one.
    '2130706433',
    '0x7f.1',
  ])('of %s is refused, and the text names allowed_hosts', (host) => {
    expect(refusal(host)).toContain('add it to allowed_hosts');
  });
});
