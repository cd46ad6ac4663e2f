import { byteLength, describeCall, describeDoubt, descriptionBytesMax, visibleText, waitingText } from '@stopgo/core';
import { describe, expect, test } from 'vitest';

describe('what an approver is shown', () => {
  test.each([
    ['resources_add', { name: 'my-test', value: 42 }, '**ADD Resource**\n\nName: my-test\nValue: 42'],
    ['resources_remove', { id: '17' }, '**REMOVE Resource**\n\nID: 17'],
    [
      'resources_remove',
      { pattern: '^a' },
      '**REMOVE Resources**\n\nPattern: ^a\n\n⚠️ This will remove ALL resources matching this pattern!',
    ],
    ['write_file', { path: 'a' }, '**WRITE_FILE**\n\nArgs: {\n  "path": "a"\n}'],
    ['ping', {}, '**PING**\n\nArgs: {}'],
  ])('of %s %o', (tool, args, text) => {
    expect(describeCall(tool, JSON.stringify(args))).toBe(text);
  });

  test('hides no argument: anything more than the known form shows is shown whole', () => {
    expect(describeCall('resources_remove', '{"id":"1","pattern":".*"}')).toBe(
      '**RESOURCES_REMOVE**\n\nArgs: {\n  "id": "1",\n  "pattern": ".*"\n}',
    );
  });

  test('cannot be given another line by a name', () => {
    expect(describeCall('resources_add', JSON.stringify({ name: 'x\nValue: 1', value: 1_000_000 }))).toBe(
      '**ADD Resource**\n\nName: "x\\nValue: 1"\nValue: 1000000',
    );
  });

  test('is at most 16 KiB, and says that it was cut', () => {
    const text = describeCall('add', JSON.stringify({ a: 'x'.repeat(40_000) }));
    expect(byteLength(text)).toBeLessThanOrEqual(descriptionBytesMax);
    expect(text).toMatch(/\[cut: \d+ bytes in full, sha256 [0-9a-f]{64}\]$/);
  });

  test('of a call in doubt names the reason, the call and the choices', () => {
    const text = describeDoubt('resources_add', '{"name":"x","value":1}', 'the server died');
    for (const part of ['the server died', 'Name: x\nValue: 1', 'run_again', 'happened', 'give_up'])
      expect(text).toContain(part);
  });
});

describe('characters that deceive', () => {
  test.each([
    ['a control character', 'a\u0007b', 'a\\u{7}b'],
    ['a carriage return', 'a\rb', 'a\\u{d}b'],
    ['a right-to-left override', 'a\u202eb', 'a\\u{202e}b'],
    ['an isolate', '\u2066', '\\u{2066}'],
    ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
    ['a line separator', '\u2028', '\\u{2028}'],
    ['a byte order mark', '\ufeff', '\\u{feff}'],
    ['a tag character', '\u{e0041}', '\\u{e0041}'],
    ['half a character', '\ud800', '\\u{d800}'],
    ['DEL and C1', '\u007f\u009b', '\\u{7f}\\u{9b}'],
  ])('are shown: %s', (_, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  test('are only those: line breaks, tabs, letters and emoji stay', () => {
    const text = 'äöü עברית 日本 😀\n\tend';
    expect(visibleText(text)).toBe(text);
  });

  test('are shown in a description', () => {
    expect(describeCall('add', '{"a":"x\\u202ey"}')).toContain('x\\u{202e}y');
    expect(describeCall('resources_add', '{"name":"x\\u202ey","value":1}')).toContain('Name: x\\u{202e}y');
  });
});

test('somebody who has to wait is told each action and its id', () => {
  expect(waitingText([{ id: '1', description: 'A', choices: ['approve', 'reject'] }])).toBe(
    'This action requires approval:\n\nA\n\nPlease approve or reject using the approval UUID: 1',
  );
  expect(waitingText([{ id: '1', description: 'A', choices: ['run_again', 'happened', 'give_up'] }])).toBe(
    'This action requires approval:\n\nA\n\nPlease decide (run_again, happened, give_up) using the approval UUID: 1',
  );
});
