import { visibleText } from '@stopgo/core';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { askDecision, askInput } from '../src/chat/decisions.ts';
import { Report } from '../src/chat/report.ts';
import { Speech } from '../src/chat/speech.ts';
import type { Lines } from '../src/lines.ts';
import { approvalOf, linesOf } from './asked.ts';

const delta = (text: string, offset: number, attempt = 1, step_id = 'root') => ({
  run_id: 'r',
  step_id,
  turn: 1,
  attempt,
  offset,
  text,
});
const responded = (text: string, more: object = {}) => ({
  revision: 1,
  type: 'model_responded',
  payload: { run_id: 'r', step_id: 'root', turn: 1, text, ...more },
});

describe('what a model says', () => {
  test('is shown as it is on the record, in whichever pieces it came', () => {
    const words = fc.array(
      fc.constantFrom(
        'a',
        'word',
        ' ',
        '\n',
        '\t',
        '\u0301',
        '\u202e',
        '\u001b[2J',
        '\u{1f600}',
        '\ufe0f',
        '1\ufe0f\u20e3',
      ),
    );
    fc.assert(
      fc.property(words, fc.array(fc.nat(12)), (parts, cuts) => {
        const text = parts.join('');
        const speech = new Speech(() => '');
        let written = '';
        let offset = 0;
        for (const length of cuts) {
          written += speech.delta(delta(text.slice(offset, offset + length), offset));
          offset = Math.min(text.length, offset + length);
        }
        written += speech.whole('r', 'root', 1, text);
        expect(written).toBe(text === '' ? '' : `| ${visibleText(text).replaceAll('\n', '\n| ')}\n`);
      }),
      { numRuns: 300 },
    );
  });

  test('costs no more for each of its pieces when it is long', () => {
    const piece = 'word ';
    const pieces = 1_000;
    let looked = 0;
    for (const method of ['lastIndexOf', 'slice'] as const) {
      const original = String.prototype[method] as (...args: unknown[]) => never;
      const spy = vi.spyOn(String.prototype, method).mockImplementation(function (this: string, ...args: unknown[]) {
        looked += this.length;
        return original.apply(this, args);
      });
      onTestFinished(() => spy.mockRestore());
    }
    const speech = new Speech(() => '');
    for (let index = 0; index < pieces; index++) speech.delta(delta(piece, index * piece.length));
    expect(looked).toBeLessThan(10 * pieces * piece.length);
  });

  test('is shown word by word', () => {
    const report = new Report();
    expect(report.delta(delta('one two', 0))).toBe('| one');
    expect(report.delta(delta(' three', 7))).toBe(' two');
    expect(report.event(responded('one two three'))).toBe(' three\n');
  });

  test('is shown again where a piece was lost, or the model was asked again', () => {
    const lost = new Speech(() => '');
    expect(lost.delta(delta('one two ', 0))).toBe('| one two');
    expect(lost.delta(delta('four five', 14))).toBe('');
    expect(lost.whole('r', 'root', 1, 'one two three four five')).toBe(' three four five\n');
    const again = new Speech(() => '');
    again.delta(delta('one two ', 0));
    expect(again.delta(delta('other words ', 0, 2))).toBe('');
    expect(again.whole('r', 'root', 1, 'other words')).toBe('\n(on the record it says:)\n| other words\n');
  });

  test('does not begin with white space alone, which the record of a mere call leaves out', () => {
    const call = { calls: [{ tool: 'list', arguments_json: '{}' }] };
    const report = new Report();
    report.event({ revision: 1, type: 'step_started', payload: { step_id: 'root/0', node: 'left' } });
    for (const [offset, piece] of ['\n', '\n\t', ' '].entries())
      expect(report.delta(delta(piece, [0, 1, 3][offset] ?? 0, 1, 'root/0'))).toBe('');
    expect(report.event(responded('', { step_id: 'root/0', ...call }))).toBe('  calls list {}\n');
    const later = new Report();
    expect(later.delta(delta('\n\non', 0))).toBe('');
    expect(later.delta(delta('e two', 4))).toBe('| \n| \n| one');
    expect(later.event(responded('\n\none two'))).toBe(' two\n');
  });

  test('only ends where the record has none of it', () => {
    const speech = new Speech(() => '');
    expect(speech.delta(delta('one two ', 0))).toBe('| one two');
    expect(speech.whole('r', 'root', 1, '')).toBe(' …\n');
    expect(speech.end()).toBe('');
  });

  test('of several that speak at once the first is shown while it speaks, the others whole, each under its name', () => {
    const report = new Report();
    for (const [step_id, node] of Object.entries({ 'root/0': 'left', 'root/1': 'right side' }))
      report.event({ revision: 1, type: 'step_started', payload: { step_id, node } });
    expect(report.delta(delta('one two ', 0, 1, 'root/0'))).toBe('left:\n| one two');
    expect(report.delta(delta('three four ', 0, 1, 'root/1'))).toBe('');
    expect(report.event(responded('three four', { step_id: 'root/1', node: 'right side' }))).toBe(
      ' …\n"right side":\n| three four\n',
    );
    expect(report.event(responded('one two', { step_id: 'root/0', node: 'left' }))).toBe('left:\n| one two\n');
  });

  test('calls and results are lines that nothing in them can forge', () => {
    const report = new Report();
    const calls = [{ tool: 'erase all', arguments_json: '{"a":"\u202e\n| forged"}' }];
    expect(report.event(responded('', { calls }))).toBe('  calls "erase all" {"a":"\\u{202e}\\n| forged"}\n');
    const gave = { tool: 'erase', content: `one\ntwo${'x'.repeat(500)}`, is_error: true };
    const shown = report.event({ revision: 2, type: 'tool_call_finished', payload: gave });
    expect(shown).toMatch(/^ {2}erase failed: one\\ntwox+ …\n$/);
    expect(shown.length).toBeLessThan(240);
  });
});

const scripted = (isTerminal: boolean, said: readonly string[]): Lines => {
  const left = [...said];
  return linesOf(isTerminal, () => Promise.resolve(left.shift()));
};

const commandLine = (words: string) => `npx stopgo ${words} --port 80`;
const approval = approvalOf('u1', 'c1');
const input = { id: 'i1', conversation_id: 'c1', server: 'bank', tool: 'pay', message: 'how much?' };

describe('what a human is asked', () => {
  const decide = (said: readonly string[], isTerminal = true, more: object = {}) => {
    const printed: string[] = [];
    const print = (line: string) => void printed.push(line);
    const decided = askDecision({ ...approval, ...more }, scripted(isTerminal, said), print, commandLine);
    return decided.then((decision) => ({ decision, printed }));
  };

  test.each([
    ['y', 'approve'],
    ['Yes ', 'approve'],
    ['n', 'reject'],
    ['no', 'reject'],
  ])('%s decides', async (word, action) => {
    for (const isTerminal of [true, false])
      expect((await decide([word], isTerminal)).decision).toEqual({ path: '/approvals/u1', body: { action } });
  });

  test('of a call that somebody has changed, what it was before is shown', async () => {
    const edited = { by: 'bob\u001b[2J', claimed: false, tool_args_before: { amount: 1 } };
    const { printed } = await decide(['y'], true, { tool_args: { amount: 2 }, edited });
    expect(printed).toEqual(expect.arrayContaining(['  changed by "bob\\u{1b}[2J"', '    amount: 2, it was 1']));
  });

  test('on a terminal anything else is asked again, and an empty line or the end decides nothing', async () => {
    expect((await decide(['ye', 'yes please', 'ok', 'no'])).decision?.body).toEqual({ action: 'reject' });
    expect((await decide(['yess', ''])).decision).toBeUndefined();
    expect((await decide([])).decision).toBeUndefined();
  });

  test.each(['', 'ye', 'yes please', 'delete all'])(
    'in a script the line "%s" decides nothing, and ends it',
    async (line) => {
      await expect(decide([line, 'yes'], false)).rejects.toThrow('nothing was decided: the next line');
    },
  );

  test('sees all arguments where the description is cut', async () => {
    expect((await decide(['no'])).printed).not.toContain('all arguments of pay:');
    const { printed } = await decide(['no'], true, { description_cut: true });
    expect(printed.slice(0, 3)).toEqual(['a human is to decide: pay', '  approval u1', '    | pays u1']);
    expect(printed).toEqual(expect.arrayContaining(['all arguments of pay:', '    |   "to": "ada"']));
  });

  test('says of a call in doubt what became of it, in whole words', async () => {
    const choices = ['run_again', 'happened', 'give_up'];
    expect((await decide(['yes', 'no', 'give_up'], true, { choices })).decision?.body).toEqual({ action: 'give_up' });
    expect((await decide(['happened', 'id 7'], true, { choices })).decision?.body).toEqual({
      action: 'happened',
      result: 'id 7',
    });
    expect((await decide(['happened', ' '], true, { choices })).decision).toBeUndefined();
    await expect(decide(['yes'], false, { choices })).rejects.toThrow('is none of run_again, happened, give_up');
  });

  test('is asked nothing where the question is not seen, and told how to decide', async () => {
    const unseen = { ...scripted(true, ['yes']), isSeen: false };
    const shown: string[] = [];
    await expect(askDecision(approval, unseen, (line) => shown.push(line), commandLine)).rejects.toThrow(
      /went to the standard output, which is no terminal; decide with\n {2}npx stopgo approve u1 --port 80\n {2}npx stopgo reject u1 --port 80$/,
    );
    expect(shown).toContain('    | pays u1');
    await expect(askInput(input, unseen, () => undefined, commandLine)).rejects.toThrow(
      '\n  npx stopgo answer c1 --input i1 --content JSON --port 80',
    );
  });

  test('may only say no to what can only be rejected', async () => {
    const choices = ['reject'];
    const { decision } = await decide(['yes', 'y', 'no'], true, { choices });
    expect(decision?.body).toEqual({ action: 'reject' });
    await expect(decide(['yes'], false, { choices })).rejects.toThrow('"yes", is none of n, no');
    const unseen = { ...scripted(true, []), isSeen: false };
    await expect(askDecision({ ...approval, choices }, unseen, () => undefined, commandLine)).rejects.toThrow(
      /decide with\n {2}npx stopgo reject u1 --port 80$/,
    );
  });

  test.each([
    ['{"amount":0.1234567890123456789}', 'the number 0.1234567890123456789 at /amount is not kept exactly'],
    ['{"amount":1e-400}', 'the number 1e-400 at /amount is not kept exactly'],
    ['{"amount":9007199254740993}', 'the number 9007199254740993 at /amount is out of range'],
    ['{"amount":1,"amount":100}', 'the member /amount stands twice'],
  ])('is never taken to have said another value than was typed: %s', async (typed, problem) => {
    const printed: string[] = [];
    const print = (line: string) => void printed.push(line);
    const again = await askInput(input, scripted(true, [typed, '{"amount":7}']), print, commandLine);
    expect(again?.body).toEqual({ action: 'accept', content: { amount: 7 } });
    expect(printed.at(-1)).toContain(problem);
    await expect(askInput(input, scripted(false, [typed]), print, commandLine)).rejects.toThrow(
      `nothing was decided: ${problem}`,
    );
  });

  test('answers a tool server with values, or declines', async () => {
    const answer = async (...said: string[]) =>
      (await askInput(input, scripted(true, said), () => undefined, commandLine))?.body;
    expect(await answer('7', '[1]', '{"amount":7}')).toEqual({ action: 'accept', content: { amount: 7 } });
    expect(await answer('decline')).toEqual({ action: 'decline' });
    expect(await answer('')).toBeUndefined();
  });
});

test('what no model said is shown too, and a run that ends in the midst of an answer leaves the next one free', () => {
  const report = new Report();
  const output = { parts: [{ answer_revision: 4 }, { text: 'Operation cancelled by user.' }] };
  expect(report.event({ revision: 1, type: 'run_completed', payload: { output } })).toBe(
    '| Operation cancelled by user.\n',
  );
  const finished = { agent: 'keeper', node: 'ask keeper', content: `done\n${'x'.repeat(300)}` };
  expect(report.event({ revision: 2, type: 'delegation_finished', payload: finished })).toBe(
    `"ask keeper":\n| done\n| ${'x'.repeat(300)}\n`,
  );
  expect(report.delta(delta('one two ', 0))).toBe('| one two');
  expect(report.event({ revision: 3, type: 'run_canceled', payload: { reason: '' } })).toBe(
    ' …\nthe run was canceled\n',
  );
  expect(report.delta({ ...delta('three four ', 0), run_id: 's' })).toBe('| three four');
});
