import { expect, test } from 'vitest';
import { StderrTail } from '../src/lines/stderr-tail.ts';

test('a line that was cut is not shown, as half of a secret would not be recognised', () => {
  const tail = new StderrTail(18, ['hunter2-secret']);
  tail.push(Buffer.from('password: hunter2-secret\nit failed\n'));
  expect(tail.lastLines()).toBe('it failed');
  tail.push(Buffer.from('at last\n'));
  // The cut was made right before a line: all of it is there.
  expect(tail.lastLines()).toBe('it failed | at last');
});

test('the line that names the error is shown beside the last ones', () => {
  const tail = new StderrTail(8_000, ['hunter2-secret']);
  tail.push(
    Buffer.from(
      'node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module "hunter2-secret"\n' +
        'Require stack:\n    at node:internal/main/run_main_module:28:49 {\n' +
        "  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v20.20.2\n",
    ),
  );
  expect(tail.lastLines()).toBe('Error: Cannot find module "[secret]" |   requireStack: [] | } | Node.js v20.20.2');
  tail.push(Buffer.from('started anew\nready\nError: the port is taken\n'));
  expect(tail.lastLines()).toBe('started anew | ready | Error: the port is taken');
});

test('a line longer than what is kept is not shown before it has ended', () => {
  const tail = new StderrTail(16, ['hunter2-secret']);
  tail.push(Buffer.from('the password is hunter2-'));
  tail.push(Buffer.from('secret'));
  expect(tail.lastLines()).toBe('');
  tail.push(Buffer.from('!\nover\n'));
  expect(tail.lastLines()).toBe('over');
});

test('a secret that contains another is hidden whole', () => {
  const tail = new StderrTail(100, ['hunter2', 'hunter2-secret']);
  tail.push(Buffer.from('hunter2-secret, hunter2\n'));
  expect(tail.lastLines()).toBe('[secret], [secret]');
});

test('what a secret begins with is not shown while the rest of it is on its way', () => {
  const tail = new StderrTail(100, ['hunter2-secret']);
  tail.push(Buffer.from('the password is hunter2-se'));
  expect(tail.lastLines()).toBe('the password is [secret]');
  tail.push(Buffer.from('cret\n'));
  expect(tail.lastLines()).toBe('the password is [secret]');
});

test('the rest of a secret of several lines is not shown either', () => {
  const tail = new StderrTail(24, ['-----BEGIN-----\nc2VjcmV0\n']);
  tail.push(Buffer.from('key: -----BEGIN-----\nc2VjcmV0\nrefused\n'));
  expect(tail.lastLines()).toBe('[secret] | refused');
});
