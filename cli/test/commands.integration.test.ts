import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { options } from '../src/commands/options.ts';
import { commandLineOf, gatewayUrl, parseFor } from '../src/commands/parse.ts';
import { groups } from '../src/commands.ts';
import { runCaptured } from '../src/run-captured.ts';

const commands = groups.flatMap((group) => Object.entries(group.commands));

describe('help', () => {
  test('lists every command with a line about it', async () => {
    for (const args of [[], ['help'], ['--help'], ['-h']]) {
      const { code, output, errors } = await runCaptured(args);
      expect([code, errors]).toEqual([0, '']);
      for (const [name, { summary }] of commands)
        expect(output).toMatch(new RegExp(`^  ${name}\\b.*  ${summary.slice(0, 20)}`, 'm'));
    }
  });

  test.each(commands)('of %s shows its options and examples, however it is asked for', async (name, command) => {
    const { code, output } = await runCaptured(['help', name]);
    expect(code).toBe(0);
    expect(output).toMatch(new RegExp(`^usage: stopgo ${name}`));
    for (const option of Object.keys(command.options)) expect(output).toContain(`  --${option}`);
    // What goes through a gateway may have to sign in.
    expect(output.includes('STOPGO_API_KEY')).toBe('url' in command.options);
    expect(command.examples).not.toEqual([]);
    for (const [example] of command.examples) expect(output).toContain(example);
    // Nothing is done, whatever else is given.
    for (const args of [['--help'], ['-h'], ['--no-such', 'x', 'y', 'z', 'z', '--help']])
      expect(await runCaptured([name, ...args])).toEqual({ code: 0, output, errors: '' });
    for (const line of output.split('\n')) expect(line.length, line).toBeLessThan(130);
  });

  test.each(commands.flatMap(([, { examples }]) => examples.map(([example]) => [example])))(
    'can be copied: %s',
    (example) => {
      const words = [...example.replace(/ [>|].*/, '').matchAll(/'([^']*)'|(\S+)/g)].map(
        ([, quoted, bare]) => quoted ?? bare ?? '',
      );
      const start = words.indexOf('stopgo');
      const [name = '', ...rest] = words.slice(start + 1);
      const command = commands.find(([one]) => one === name)?.[1];
      if (command === undefined) throw new Error(`no command ${name}`);
      parseFor(name, command, rest);
    },
  );

  test('of a command that is not there names the nearest', async () => {
    const { code, errors } = await runCaptured(['help', 'aprove']);
    expect([code, errors]).toEqual([
      1,
      'stopgo: unknown command "aprove"; did you mean "approve"? `stopgo help` lists all of them\n',
    ]);
  });

  test('no option is left over', () => {
    const used = new Set(commands.flatMap(([, command]) => Object.keys(command.options)));
    expect(Object.keys(options).filter((name) => !used.has(name))).toEqual([]);
  });
});

test('the version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  for (const flag of ['--version', '-v'])
    expect(await runCaptured([flag])).toEqual({ code: 0, output: `stopgo ${version}\n`, errors: '' });
});

test.each([
  [['start', 'now'], '"start" takes no argument; see `stopgo help start`'],
  [['replay'], '"replay" takes ID; see `stopgo help replay`'],
  [['chat', '--max-call-depth', '0'], '--max-call-depth takes a whole number from 1, not "0"'],
  [['chat', '--max-call-depth', '2x'], '--max-call-depth takes a whole number from 1, not "2x"'],
  [['chat', 'ID', '--agent', 'a'], '--agent is of a new conversation: leave it out, or leave ID out'],
  [['start', '--prot', '80'], "Unknown option '--prot'; did you mean --port? see `stopgo help start`"],
  [['start', '--qqqqqqq'], "Unknown option '--qqqqqqq'; see `stopgo help start`"],
  [['replay', '--at'], "Option '--at <value>' argument missing; see `stopgo help replay`"],
  [['verify', '--by', 'me'], '--by does not go with "verify"; see `stopgo help verify`'],
  [['st\u001b[2Jx'], 'unknown command "st\\u{1b}[2Jx"; `stopgo help` lists all of them'],
  [['start', '--port', '65536'], '--port takes a whole number from 0 to 65535, not "65536"'],
  [['approvals', '--port', '0'], '--port takes a whole number from 1 to 65535, not "0"'],
  [
    ['approvals', '--port', '80', '--url', 'http://x'],
    '--port is short for --url http://127.0.0.1:PORT; give one of the two',
  ],
  [
    ['approvals', '--port', '-1'],
    '--port takes a value; one that begins with a dash is written --port=VALUE; see `stopgo help approvals`',
  ],
  [['approvals', '--url', 'foo'], '--url takes the URL of a platform, for example http://127.0.0.1:8080, not "foo"'],
  [['chat', '--url', 'host:80'], '--url takes the URL of a platform, for example http://127.0.0.1:8080, not "host:80"'],
  ...['https://alice:pa55@host', 'https://alice:pa#55@host', 'alice:pa55@host', 'ftp://alice:pa55@host'].map(
    (secret): [string[], string] => [
      ['chat', '--url', secret],
      '--url must not hold a user name or a password (no @): they would be printed, and this command cannot log in',
    ],
  ),
  [['inputs', '--url', 'https://host/agent'], '--url takes scheme, host and port alone: https://host, without a path'],
  [['inputs', '--url', 'http://host:1/?a=1'], '--url takes scheme, host and port alone: http://host:1, without a path'],
  [['approve', 'u', '--result', 'x'], '--result is what a call in doubt gave; it goes with --action happened only'],
  [['health', 'x', '--port', '80'], 'give an address or --port, not both'],
  [['conversations', '--limit', 'x'], '--limit takes a whole number from 1 to 1000000, not "x"'],
  [['approve', 'u', '--action', 'happend'], '--action takes run_again, happened or give_up, not "happend"'],
])('%j is refused in one line', async (args, line) => {
  expect(await runCaptured(args)).toEqual({ code: 1, output: '', errors: `stopgo: ${line}\n` });
});

test('--port is short for an address of this machine', () => {
  expect([gatewayUrl({}), gatewayUrl({ port: '8090' })]).toEqual(['http://127.0.0.1:8080', 'http://127.0.0.1:8090']);
  for (const url of ['http://x:1', 'https://x/']) expect(gatewayUrl({ url })).toBe(url);
});

test('a line to copy runs on the same platform, as one word each of a shell', () => {
  expect(commandLineOf('chat c', {})).toBe('npx stopgo chat c');
  expect(commandLineOf('chat c', { port: '8090' })).toBe('npx stopgo chat c --port 8090');
  expect(commandLineOf('chat c', { url: 'http://[::1]:80' })).toBe("npx stopgo chat c --url 'http://[::1]:80'");
});

test('a line to copy decides as the same person, where it may decide', () => {
  const deciding = ['chat ID', 'approve UUID', 'reject UUID', 'answer ID'];
  for (const words of deciding) {
    const line = commandLineOf(words, { by: 'ada', port: '80' });
    expect(line).toBe(`npx stopgo ${words} --port 80 --by=ada`);
    const [name = '', ...args] = line.split(' ').slice(2);
    const command = commands.find(([one]) => one === name)?.[1];
    expect(command && parseFor(name, command, args).flags).toEqual({ by: 'ada', port: '80' });
  }
  expect(commandLineOf('approve UUID', { by: "o'neil $x" })).toBe("npx stopgo approve UUID --by='o'\\''neil $x'");
  expect(commandLineOf('conversations', { by: 'ada' })).toBe('npx stopgo conversations');
});

describe('lists of a platform', () => {
  let server: Server;
  let port: string;
  let asked: string[];
  const hostile = 'pay\u001b[2J\nme';
  const input = (id: string) => ({
    id,
    conversation_id: 'c',
    server: 'bank',
    tool: 'pay',
    message: `how\u202e much?\nnow`,
    requested_schema: {},
  });
  const conversation = (id: string, more: object = {}) => ({
    id,
    updated_at: '2026-01-15T10:30:00Z',
    status: 'active',
    title: hostile,
    message_count: 2,
    ...more,
  });

  beforeEach(async () => {
    asked = [];
    server = createServer((req, res) => {
      const { pathname, searchParams } = new URL(req.url ?? '', 'http://x');
      asked.push(`${pathname}?${searchParams}`);
      const isNext = searchParams.get('cursor') === 'next';
      const inputs = pathname === '/conversations' ? [input(isNext ? 'second' : 'first')] : [];
      const waits = isNext ? { waiting_for: [{ text: 'the agent "x" is\nout of reach' }, { text: 'people' }] } : {};
      const one = conversation(isNext ? 'b' : 'a', { pending_inputs: inputs, ...waits });
      const summary = { total: 2, active: 2, waiting_approval: 0, completed: 0 };
      res.end(
        JSON.stringify({
          conversations: [one],
          summary,
          conversation: one,
          ...(isNext ? {} : { next_cursor: 'next' }),
        }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = String((server.address() as AddressInfo).port);
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  test('conversations are shown page by page, one line each, as far as they are wanted', async () => {
    const shown = '2026-01-15T10:30:00Z  active            "pay\\u{1b}[2J\\nme"  2 messages';
    const counts = '2 in all: 2 active, 0 waiting for approval\n';
    const all = await runCaptured(['conversations', '--port', port, '--search', 'pay me', '--status', 'active']);
    expect(all).toEqual({
      code: 0,
      output: `a  ${shown}\nb  ${shown}  waits: the agent "x" is\\nout of reach; people\n${counts}`,
      errors: '',
    });
    expect(asked).toEqual([
      '/conversations?q=pay+me&status=active&limit=50',
      '/conversations?q=pay+me&status=active&limit=49&cursor=next',
    ]);
    const one = await runCaptured(['conversations', '--port', port, '--limit', '1']);
    expect(one.output).toBe(`a  ${shown}\nthe newest 1; more with --limit\n${counts}`);
    const json = await runCaptured(['conversations', '--port', port, '--json']);
    expect(json.output).not.toContain('\u001b');
    expect(
      json.output
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([{ id: 'a', title: hostile }, { id: 'b' }]);
  });

  test('open questions are those of all conversations, each asked for once, unless one is named', async () => {
    const { output } = await runCaptured(['inputs', '--port', port]);
    expect(output.split('\n').filter((line) => / asks in the midst of /.test(line))).toEqual([
      expect.stringMatching(/^first {2}the server bank asks in the midst of pay, .*conversation c$/),
      expect.stringMatching(/^second {2}/),
    ]);
    expect(output).toMatch(/2 waiting\n$/);
    expect(output).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    expect(asked).toEqual(['/conversations?limit=200', '/conversations?limit=200&cursor=next']);
    asked = [];
    expect((await runCaptured(['inputs', 'c', '--port', port])).output).toBe('nothing is asked\n');
    expect(asked).toEqual(['/conversations/c?']);
  });
});
