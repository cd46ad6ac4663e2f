import { expect, test } from 'vitest';
import { StderrTail } from '../src/stderr-tail.ts';

test('a line that was cut is not shown, as half of a secret would not be recognised', () => {
  const tail = new StderrTail(18, ['hunter2-secret']);
  tail.push(Buffer.from('password: hunter2-secret\nit failed\n'));
  expect(tail.lastLines()).toBe('it failed');
  tail.push(Buffer.from('at last\n'));
  // The cut was made right before a line: all of it is there.
  expect(tail.lastLines()).toBe('it failed | at last');
});

test('a line longer than what is kept is not shown before it has ended', () => {
  const tail = new StderrTail(16, ['hunter2-secret']);
  tail.push(Buffer.from('the password is hunter2-'));
  tail.push(Buffer.from('secret'));
  expect(tail.lastLines()).toBe('');
  tail.push(Buffer.from('!\nover\n'));
  expect(tail.lastLines()).toBe('over');
});

test('the rest of a secret of several lines is not shown either', () => {
  const tail = new StderrTail(24, ['-----BEGIN-----\nc2VjcmV0\n']);
  tail.push(Buffer.from('key: -----BEGIN-----\nc2VjcmV0\nrefused\n'));
  expect(tail.lastLines()).toBe('[secret] | refused');
});
