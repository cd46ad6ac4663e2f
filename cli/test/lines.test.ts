import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { confirmOn } from '../src/decide/confirm.ts';
import { linesOf } from '../src/lines.ts';

beforeEach(() => void vi.stubEnv('TERM', 'xterm'));
afterEach(() => void vi.unstubAllEnvs());

/** A human at a terminal, or a script; `isShown`: the standard output is a terminal, too. */
function host(isTTY: boolean, isShown = isTTY) {
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const written = { stdout: '', stderr: '' };
  const into = (name: keyof typeof written, yes: boolean) => {
    const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: yes, columns: 20 });
    stream.on('data', (text: string) => {
      written[name] += text;
    });
    return stream;
  };
  const streams = { stdin, stdout: into('stdout', isShown), stderr: into('stderr', isTTY) };
  return { stdin, stdout: streams.stdout, written, streams: streams as unknown as NodeJS.Process };
}

function terminal(isShown = true) {
  const { streams, ...rest } = host(true, isShown);
  const reads: (() => void)[] = [];
  const lines = linesOf(streams, () => new Promise<void>((resolve) => reads.push(resolve)));
  /** The moment is over in which nobody can have read the question. */
  const read = () => reads.splice(0).forEach((resolve) => void resolve());
  return { ...rest, lines, read };
}

/** What was typed is read, and what waited for it goes on. */
const settled = async () => {
  for (let turns = 0; turns < 3; turns += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** Types as a human does. */
async function keys(stdin: PassThrough, text: string): Promise<void> {
  for (const key of text) {
    stdin.write(key);
    await settled();
  }
}

describe('what was typed before a question was read', () => {
  test.each([true, false])(
    'is no answer to it, whole lines or not (shown on the standard output: %s)',
    async (isShown) => {
      const { stdin, lines, read, written } = terminal(isShown);
      stdin.write('a message\ryes\rye');
      await settled();
      expect(await lines.next('> ')).toBe('a message');
      const answer = lines.nextFromNow('May it run? ');
      // A second yes, sooner than anybody reads.
      await keys(stdin, 'yes\r');
      read();
      await settled();
      await keys(stdin, 'no\r');
      expect(await answer).toBe('no');
      const shown = isShown ? written.stdout : written.stderr;
      expect(shown).toContain('(not taken, for it was typed before the question: 2 lines)\n');
      lines.close();
    },
  );

  test.each(['yes', 'no, I mean yes'])('is no part of it, if only its end is entered later: %s', async (begun) => {
    const { stdin, lines, read } = terminal();
    const answer = lines.nextFromNow('May it run? ');
    await keys(stdin, begun);
    read();
    await settled();
    await keys(stdin, '\r');
    expect(await answer).toBe('');
    lines.close();
  });

  test('is none if this process was too busy to read it till then', async () => {
    const { stdin, lines, read } = terminal();
    const answer = lines.nextFromNow('May it run? ');
    // The time ends, and only then comes what was typed all along.
    setImmediate(() => void stdin.write('yes'));
    read();
    await settled();
    await keys(stdin, '\r');
    expect(await answer).toBe('');
    lines.close();
  });

  test('is none if it was taken back, entered, and brought back', async () => {
    const { stdin, lines, read } = terminal();
    await keys(stdin, 'yes\x15\r\x19');
    const answer = lines.nextFromNow('May it run? ');
    read();
    await settled();
    await keys(stdin, '\n');
    expect(await answer).toBe('');
    lines.close();
  });

  test('is no answer on a terminal that can do nothing but print', async () => {
    vi.stubEnv('TERM', 'dumb');
    const { stdin, lines, read } = terminal();
    await keys(stdin, 'ye');
    const answer = lines.nextFromNow('May it run? ');
    read();
    await settled();
    await keys(stdin, 's\r');
    expect(await answer).toBe('s');
    lines.close();
  });
});

describe('a question stays as it was written', () => {
  test('whatever is typed before, and however wide', async () => {
    const { stdin, stdout, written, lines, read } = terminal();
    const first = lines.next('> ');
    await keys(stdin, 'hello\r');
    await first;
    written.stdout = '';
    await keys(stdin, 'this half line wraps around on the terminal');
    stdout.emit('resize');
    stdout.write('a row\n    | of the question\n');
    const answer = lines.nextFromNow('May it run? ');
    await keys(stdin, 'that comes too soon, and wraps around');
    read();
    await settled();
    // No row is gone back to: from the left end of the row of the prompt all below is cleared.
    expect(written.stdout).toBe('a row\n    | of the question\n\x1b[1G\x1b[0JMay it run? \x1b[13G');
    await keys(stdin, 'no\r');
    expect(await answer).toBe('no');
    expect(written.stdout.endsWith('no\r\n')).toBe(true);
    lines.close();
  });

  test('while a longer answer is typed, which begins below it', async () => {
    const { stdin, stdout, written, lines, read } = terminal();
    await keys(stdin, 'this half line wraps around on the terminal');
    stdout.write('    | the question\n');
    const answer = lines.nextFromNow('JSON: ');
    read();
    await settled();
    await keys(stdin, '{"a":"wraps around"}');
    // One row up at most, which is that of the prompt.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how a terminal is told to go up
    expect(Array.from(written.stdout.matchAll(/\x1b\[(\d+)A/g), ([, rows]) => Number(rows))).not.toContainEqual(2);
    await keys(stdin, '\r');
    expect(await answer).toBe('{"a":"wraps around"}');
    lines.close();
  });
});

describe('messages that are typed ahead', () => {
  test('show when their turn comes, and what is half typed can be typed to its end', async () => {
    const { stdin, written, lines } = terminal();
    const first = lines.next('> ');
    await keys(stdin, 'one\r');
    expect(await first).toBe('one');
    written.stdout = '';
    await keys(stdin, 'two\rthr');
    expect(written.stdout).toBe('');
    expect(await lines.next('> ')).toBe('two');
    expect(written.stdout).toBe('> two\n');
    const third = lines.next('> ');
    await settled();
    expect(written.stdout).toBe('> two\n\x1b[1G\x1b[0J> \x1b[3Gthr');
    await keys(stdin, 'ee\r');
    expect(await third).toBe('three');
    lines.close();
  });

  test('that were begun and never entered are none', async () => {
    const { stdin, lines, read } = terminal();
    const answer = lines.nextFromNow('May it run? ');
    read();
    await settled();
    await keys(stdin, 'yes');
    stdin.end();
    expect(await answer).toBeUndefined();
    expect(lines.left.aborted).toBe(true);
    expect(await lines.next('> ')).toBeUndefined();
    expect(await lines.nextFromNow('> ')).toBeUndefined();
  });
});

describe('a human leaves', () => {
  test.each(['\x04', '\x03'])('from a prompt, whose row is ended (%j)', async (key) => {
    const { stdin, written, lines } = terminal();
    const line = lines.next('> ');
    await keys(stdin, key);
    expect(await line).toBeUndefined();
    expect(written.stdout).toMatch(/\n$/);
    expect(lines.left.aborted).toBe(true);
  });

  test.each(['\x04', '\x03'])('where no prompt stands, whatever is half typed (%j)', async (key) => {
    const { stdin, written, lines, read } = terminal();
    await keys(stdin, `abc${key}`);
    expect(lines.left.aborted).toBe(true);
    expect(written.stdout).toBe('');
    const asked = terminal();
    const answer = asked.lines.nextFromNow('May it run? ');
    await keys(asked.stdin, key);
    asked.read();
    expect(await answer).toBeUndefined();
    read();
  });
});

test('where a human does not see the standard output the prompts go where they are seen', async () => {
  const { stdin, written, lines } = terminal(false);
  expect(lines.isSeen).toBe(false);
  const line = lines.next('> ');
  await keys(stdin, 'hello\r');
  expect(await line).toBe('hello');
  expect(written).toMatchObject({ stdout: '', stderr: expect.stringContaining('> ') });
  lines.close();
});

test('the lines of a script are taken in turn, and its end is not a wish to leave', async () => {
  const { stdin, streams } = host(false);
  const lines = linesOf(streams);
  stdin.end('a message\nyes');
  expect(await lines.next('> ')).toBe('a message');
  expect(await lines.nextFromNow('May it run? ')).toBe('yes');
  expect(await lines.next('> ')).toBeUndefined();
  expect(lines.left.aborted).toBe(false);
  expect(lines.isSeen).toBe(true);
});

describe('a command that asks for a yes', () => {
  test('takes none that was typed before', async () => {
    for (const [later, isYes] of [
      ['\r', false],
      ['yes\r', true],
      ['yess\r', false],
      ['\x04', false],
    ] as const) {
      const { stdin, streams } = host(true);
      let read = (): void => undefined;
      const confirm = confirmOn(streams, () => new Promise<void>((resolve) => (read = resolve)));
      const answer = confirm?.('Give it up?');
      await keys(stdin, 'y\ry');
      read();
      await settled();
      await keys(stdin, later);
      expect(await answer, later).toBe(isYes);
      expect(stdin.listenerCount('keypress')).toBe(0);
    }
  });

  test('asks nobody where nobody reads', () => {
    for (const [typed, shown] of [
      [true, false],
      [false, true],
    ] as const)
      expect(confirmOn(host(typed, shown).streams)).toBeUndefined();
  });
});
