import { expect, test } from 'vitest';
import { shownUrl } from '../src/index.ts';

test('an address is shown without what may be a credential', () => {
  expect(shownUrl('https://user:pass@tools.example:8443/mcp?key=abc#x')).toBe('https://tools.example:8443/mcp');
  expect(shownUrl('app:elsewhere?key=abc')).toBe('app:elsewhere');
  expect(shownUrl(new URL('http://tools.example'))).toBe('http://tools.example/');
});
