import { isLoopback } from '@stopgo/security';
import { expect, test } from 'vitest';

test.each([
  'localhost',
  'LocalHost',
  'localhost.',
  '127.0.0.1',
  '127.255.255.254',
  '::1',
  '[::1]',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  '[::ffff:7f00:1]',
])('only this machine reaches %s', (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each([
  '',
  '0.0.0.0',
  '::',
  '10.0.0.1',
  '128.0.0.1',
  '::2',
  '::ffff:10.0.0.1',
  '::7f00:1',
  'localhost..',
  'localhost.example',
  'localhost\n',
  '127.0.0.1.example',
  '127.0.0.1.',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.999.1.1',
])('others may reach %s', (host) => {
  expect(isLoopback(host)).toBe(false);
});
