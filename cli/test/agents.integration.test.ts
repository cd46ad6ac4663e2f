import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCaptured } from '../src/run-captured.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'stopgo-agents-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const sound = (more = '') => `---\nname: n\ndescription: Answers questions\n${more}---\nHelp.\n`;

/** What `stopgo agents` says, with the path of the folder left out. */
async function agents(...args: string[]) {
  const { code, output, errors } = await runCaptured(['agents', ...args]);
  const bare = (text: string) => text.replaceAll(`${folder}/`, '').replaceAll(folder, 'FOLDER').trimEnd().split('\n');
  return { code, lines: bare(output), errors: bare(errors).join('\n') };
}

describe('check', () => {
  test('a folder of sound agents', async () => {
    put('support/tier1/prompt.md', sound());
    put('.claude/agents/reviewer.md', '---\nname: reviewer\ndescription: Reviews\n---\nReview.');
    put('README.md', '# Read me');
    expect(await agents('check', folder)).toEqual({ code: 0, lines: ['2 agents, 0 problems, 0 warnings'], errors: '' });
  });

  test('each finding is one line with its place, and problems end with code 1', async () => {
    put('a/prompt.md', sound('tags: x\n'));
    put('a.md', sound());
    put('b/prompt.md', sound('mcpServer: [x]\n'));
    put('B/prompt.md', sound());
    put('c/agent.md', 'no frontmatter');
    put('.github/agents/d.agent.md', '---\ndescription: ""\n---\nReview.');
    put('.github/workflows/e/prompt.md', 'not looked at');
    put('.hidden/prompt.md', 'not looked at');
    put('node_modules/x/prompt.md', 'not looked at');
    expect(await agents('check', folder)).toEqual({
      code: 1,
      lines: [
        '.github/agents/d.agent.md:2:1: description: must not be empty',
        'a/prompt.md:4:1: tags: expected a list, found text; write it in brackets, [ and ], or begin each entry with "- "',
        'b/prompt.md:1:1: its name "b" looks like "B"; give it another one',
        'c/agent.md:1:1: the file has no frontmatter: begin it with a line ---, keys such as description, and a line ---',
        'a.md:1:1: warning: "a" is a/prompt.md, which goes before this file; remove one of them',
        'b/prompt.md:4:1: warning: unknown key "mcpServer", which has no effect; did you mean "mcpServers"?',
        '1 agent, 4 problems, 2 warnings',
      ],
      errors: '',
    });
  });

  test('warnings leave the code at 0', async () => {
    put('b/prompt.md', sound('mcpServer: [x]\n'));
    expect(await agents('check', folder)).toMatchObject({
      code: 0,
      lines: [expect.any(String), '1 agent, 0 problems, 1 warning'],
    });
  });

  test('as JSON for programs', async () => {
    put('a/prompt.md', sound('tags: x\nfoo: 1\n'));
    const { code, lines } = await agents('check', '--json', folder);
    expect(code).toBe(1);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { severity: 'error', path: 'a/prompt.md', line: 4, column: 1, kind: 'field' },
      { severity: 'warning', path: 'a/prompt.md', line: 5, column: 1, kind: 'field' },
    ]);
  });

  test('the names of single files begin where their repository does', async () => {
    mkdirSync(join(folder, '.git'));
    put('team/two words/prompt.md', sound());
    put('team/sound/prompt.md', sound());
    const files = ['team/two words/prompt.md', 'team/sound/prompt.md'].map((file) => join(folder, file));
    const expected = [
      'team/two words/prompt.md:1:1: "team/two words" cannot be the name of an agent: its part "two words" holds something else than letters, digits, _, - and dots inside',
      '1 agent, 1 problem, 0 warnings',
    ];
    expect((await agents('check', ...files)).lines).toEqual(expected);
    expect((await agents('check', '--in', join(folder, 'team'), ...files)).lines[0]).toContain('"two words" cannot be');
  });

  test('what is no file of its own is not read', async () => {
    put('secret', sound());
    mkdirSync(join(folder, 'a'));
    symlinkSync(join(folder, 'secret'), join(folder, 'a/prompt.md'));
    symlinkSync(join(folder, 'secret'), join(folder, 'CLAUDE.md'));
    symlinkSync('/', join(folder, 'all'));
    symlinkSync(folder, join(folder, 'a/circle'));
    symlinkSync(join(folder, 'nowhere'), join(folder, 'a/agent.md'));
    mkdirSync(join(folder, 'b/prompt.md'), { recursive: true });
    expect((await agents('check', folder)).lines).toEqual(
      [
        'a/agent.md:1:1: it is a symbolic link, which is not followed; put the file itself here',
        'a/prompt.md:1:1: it is a symbolic link, which is not followed; put the file itself here',
        '0 agents, 2 problems, 1 warning',
      ].toSpliced(2, 0, 'a/agent.md:1:1: warning: "a" is a/prompt.md, which goes before this file; remove one of them'),
    );
  });

  test('what is no text in UTF-8 is refused, as by the platform', async () => {
    put('a/prompt.md', sound());
    writeFileSync(join(folder, 'a/prompt.md'), Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe]));
    const { code, lines } = await agents('check', folder);
    expect([code, lines]).toEqual([
      1,
      ['a/prompt.md:1:1: the file is no text in UTF-8', '0 agents, 1 problem, 0 warnings'],
    ]);
  });

  test('a large file is not read whole', async () => {
    put('a/prompt.md', sound() + 'a'.repeat(3_000_000));
    expect((await agents('check', folder)).lines[0]).toMatch(
      /^a\/prompt\.md:1:1: the file has 30000\d\d bytes, more than 262144/,
    );
  });

  test.each([
    [['check'], 'stopgo: stopgo agents check takes PATH...: files, or folders of them'],
    [['check', '/no/such'], 'stopgo: there is no file or folder /no/such; is the path right?'],
    [['check', '--in', '/dev', tmpdir()], `stopgo: ${tmpdir()} is not below /dev; name another folder with --in`],
    [['list', 'a', 'b'], 'stopgo: stopgo agents list takes one FOLDER'],
    [
      ['list', import.meta.filename],
      `stopgo: ${import.meta.filename} is a file; name the folder that the names of agents begin at`,
    ],
    [['show'], 'stopgo: stopgo agents show takes one NAME'],
    [['lost'], 'stopgo: stopgo agents takes check, list, show, history, diff or watch'],
    [['show', 'a', 'main'], 'stopgo: a COMMIT goes with --url: files of a folder are shown as they are'],
    [['diff', 'a', '--in', '.'], 'stopgo: --in is for files in a folder; leave it out'],
    [['check', '.', '--port', '8080'], 'stopgo: stopgo agents check reads files; leave --url and --port out'],
  ])('%j is refused', async (args, errors) => {
    expect(await agents(...args)).toEqual({ code: 1, lines: [''], errors });
  });
});

test('list names the agents of a folder, and how many files cannot be used', async () => {
  put('support/tier1/prompt.md', sound('tags: [x]\nversion: "1"\n'));
  put('billing.md', sound());
  put('c/agent.md', 'no frontmatter');
  expect(await agents('list', folder)).toEqual({
    code: 0,
    lines: ['billing        Answers questions', 'support/tier1  Answers questions'],
    errors: 'stopgo: 1 problem: stopgo agents check FOLDER',
  });
  const { lines } = await agents('list', '--json', '--in', folder);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { name: 'billing', title: 'n', description: 'Answers questions', tags: [], path: 'billing.md', format: 'stopgo' },
    {
      ...{ name: 'support/tier1', title: 'n', description: 'Answers questions', version: '1', tags: ['x'] },
      ...{ path: 'support/tier1/prompt.md', format: 'stopgo' },
    },
  ]);
});

describe('show', () => {
  test('an agent as a file of our format, and as it is recorded', async () => {
    put('support/tier1/prompt.md', sound('max_cost: 2\nmcpServers: ["*"]\n'));
    expect((await agents('show', 'support/tier1', '--in', folder)).lines).toEqual([
      ...['---', 'name: "n"', 'description: "Answers questions"', 'mcpServers:', '  - "*"', 'contextScope: "FULL"'],
      ...['maxCost: 2', 'onLimit: "ask"', '---', '', 'Help.'],
    ]);
    const { lines } = await agents('show', 'support/tier1', '--in', folder, '--json');
    expect(JSON.parse(lines.join('\n'))).toMatchObject({
      path: 'support/tier1/prompt.md',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      definition: { name: 'support/tier1', platform: { limits: { costMax: 2_000_000, onLimit: 'ask' } } },
    });
  });

  test('none that is not there, or cannot be read', async () => {
    put('support/tier1/prompt.md', sound());
    put('bad/prompt.md', sound('tags: x\n'));
    expect((await agents('show', 'suport/tier1', '--in', folder)).errors).toBe(
      'stopgo: there is no agent "suport/tier1" in FOLDER; did you mean "support/tier1"?',
    );
    expect((await agents('show', 'x', '--in', folder)).errors).toBe(
      'stopgo: there is no agent "x" in FOLDER; `stopgo agents list` names all of them',
    );
    expect(await agents('show', 'bad', '--in', folder)).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^stopgo: the agent bad cannot be read:\nbad\/prompt\.md:4:1: tags/),
    });
  });
});
