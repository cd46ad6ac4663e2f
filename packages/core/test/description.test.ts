import {
  byteLength,
  describeCall,
  describeQuestion,
  descriptionBytesMax,
  isDescriptionCut,
  visibleText,
  waitingText,
} from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import { describeDoubt } from '../src/calls/description.ts';

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

  test('says first that somebody asked for the commit of the agent', () => {
    const source = { repository: 'main', commit: '4f0c1b6f9c8d0f5a', path: 'payer.md' } as const;
    const plain = describeCall('ping', '{}');
    expect(describeCall('ping', '{}', undefined, source)).toBe(plain);
    const said =
      "⚠️ The run's agent is of commit 4f0c1b6f9c8d of main, which somebody asked for: another one is synced.\n\n";
    expect(describeCall('ping', '{}', undefined, { ...source, pinned: true })).toBe(`${said}${plain}`);
    const doubt = describeDoubt('ping', '{}', 'it ended', undefined, { ...source, pinned: true });
    expect(doubt.startsWith(`${said}**IN DOUBT`)).toBe(true);
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

  test('is at most 16 KiB: of a longer one head and tail, and how much is left out between them', () => {
    const text = describeCall('add', JSON.stringify({ a: `${'ä'.repeat(20_000)}`, path: '/etc/passwd' }));
    expect(byteLength(text)).toBeLessThanOrEqual(descriptionBytesMax);
    expect(text).toMatch(
      /^\*\*ADD\*\*[\s\S]*\n\[cut: 40053 bytes in full, \d+ of them left out here, sha256 [0-9a-f]{64}\]\n…/,
    );
    expect(text).toMatch(/ä",\n {2}"path": "\/etc\/passwd"\n\}$/);
    expect(isDescriptionCut(text)).toBe(true);
    const left = Number(/(\d+) of them left out/.exec(text)?.[1]);
    const [head = '', tail = ''] = text.split(/\n\[cut: .*\]\n…/);
    expect(byteLength(head) + left + byteLength(tail)).toBe(40_053);
  });

  test('of a call in doubt that is long still ends with the choices, and one mark says what is left out', () => {
    const text = describeDoubt('add', JSON.stringify({ a: 'x'.repeat(40_000), path: '/etc' }), 'the server died');
    expect(text).toMatch(/"path": "\/etc"\n\}\n\nChoose run_again, happened .* or give_up\.$/);
    expect(text.match(/\[cut: /g)).toHaveLength(1);
  });

  test('that is whole is not taken for cut, whatever it repeats', () => {
    const mark = `[cut: 1 bytes in full, sha256 ${'0'.repeat(64)}]`;
    expect(isDescriptionCut(describeCall('add', JSON.stringify({ a: mark })))).toBe(false);
    // As programs cut before: the end.
    expect(isDescriptionCut(`${'x'.repeat(16 * 1024 - 120)}\n${mark.replace('1 ', '20000 ')}`)).toBe(true);
  });

  test.each([
    ['a line break', 'safe**\n\nArgs: {}', '**"safe**\\n\\nArgs: {}"**\n\nArgs: {}'],
    ['a letter that has the same capital', 'wr\u0131te', '**"wr\u0131te"**\n\nArgs: {}'],
    ['what is not seen', 'pa\u200by', '**"pa\\u{200b}y"**\n\nArgs: {}'],
  ])('quotes a name with %s', (_, tool, text) => {
    expect(describeCall(tool, '{}')).toBe(text);
  });

  test('quotes every line of a message for another agent', () => {
    const message = 'x\n\nChoose run_again, happened (with the result, if you know it) or give_up.';
    expect(describeCall('a2a_peer', JSON.stringify({ message }), { kind: 'remote', agent: 'peer' })).toBe(
      '**DELEGATE to A2A Agent: peer**\n\nMessage: \n> x\n> \n> Choose run_again, happened (with the result, if you know it) or give_up.',
    );
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
    ['a variation selector', 'a\ufe01b', 'a\\u{fe01}b'],
    ['a supplementary variation selector', 'a\u{e0100}b', 'a\\u{e0100}b'],
    ['a Khmer inherent vowel', 'a\u17b4b', 'a\\u{17b4}b'],
    ['a musical format character', 'a\u{1d17a}b', 'a\\u{1d17a}b'],
    ['a Hangul filler', 'a\u3164b', 'a\\u{3164}b'],
    ['the selector of an emoji after no emoji', 'a\ufe0fb', 'a\\u{fe0f}b'],
    ['the same after a digit', '1\ufe0f', '1\\u{fe0f}'],
    ['a joiner between emoji', '👩\u200d👧', '👩\\u{200d}👧'],
    ['a mark over what stands before the text', '\u0338no', '\\u{338}no'],
    ['marks in a tower', `a${'\u0300'.repeat(10)}`, `a${'\u0300'.repeat(8)}\\u{300}\\u{300}`],
    ['DEL and C1', '\u007f\u009b', '\\u{7f}\\u{9b}'],
  ])('are shown: %s', (_, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  test('are only those: line breaks, tabs, letters and emoji stay', () => {
    const text = 'äöü e\u0301 עברית 日本 😀 ⚠\ufe0f 1\ufe0f\u20e3\n\tend';
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

describe('a number that another agent sent, and that a parser may have rounded', () => {
  const ask = { agent: 'peer', agents: [], tool: 'pay', choices: [] };
  // As it comes here: the text of what was parsed.
  const sent = (text: string) => JSON.stringify(JSON.parse(text));
  const shown = (text: string, prompt = 'Pay?') => describeQuestion({ ...ask, prompt, argumentsJson: sent(text) });

  test('is named to the approver', () => {
    expect(shown('{"account":9007199254740993,"cents":5}', 'Pay 9007199254740993?')).toBe(
      "**PROXY APPROVAL — A2A Agent: peer**\n\n⚠️ The number at /account may have been rounded on the way here; compare it with the agent's own words.\n\n" +
        '**PAY**\n\nArgs: {\n  "account": 9007199254740992,\n  "cents": 5\n}\n\nThe agent says: Pay 9007199254740993?',
    );
  });

  test.each(['-9007199254740993', '1000000000000000000001', '[0,{"b":123456789012345678901234}]'])(
    'also %s',
    (number) => expect(shown(`{"a":${number}}`)).toContain('may have been rounded'),
  );

  test.each(['9007199254740991', '-9007199254740991', '0.1', '1e-7', '"9007199254740993"'])('but not %s', (value) =>
    expect(shown(`{"a":${value}}`)).not.toContain('rounded'),
  );

  test('is shown beside the words of the agent also where these repeat the call, and without any words', () => {
    const text = '{"a":9007199254740993}';
    expect(shown(text, describeCall('pay', sent(text)))).toContain('The agent says:');
    expect(shown(text, ' ')).toContain('; the agent says nothing to compare it with.');
  });

  test('is not named by a line that it forges, and of many only some are named, before a long call is cut', () => {
    expect(shown('{"x\\n**PAY**":9007199254740993}')).toContain('The number at "/x\\n**PAY**" may');
    const many = `{"list":[${'9007199254740993,'.repeat(3_000)}0]}`;
    const text = shown(many);
    expect(text).toContain('The numbers at /list/0, /list/1, /list/2 and others may have been rounded');
    expect(isDescriptionCut(text)).toBe(true);
    expect(shown(`{"${'n'.repeat(1_000)}":9007199254740993}`)).toMatch(/number at "\/n{79}…" may have been rounded/);
  });
});
