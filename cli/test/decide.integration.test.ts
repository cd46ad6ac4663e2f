import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decide, printApprovals } from '../src/decide/approvals.ts';
import type { Confirm } from '../src/decide/confirm.ts';
import { answerInput } from '../src/decide/inputs.ts';
import { type ToolsArguments, toolsCommand } from '../src/decide/tools.ts';

/** What a terminal asks before it decides, against a gateway that only writes down what it is told. */
const uuid = '3b241101-e2bb-4255-8caf-4136c566a962';
const pin = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const plain = {
  uuid,
  conversation_id: 'c',
  description: 'pays',
  created_at: '',
  tool_name: 'pay',
  status: 'pending',
  choices: ['approve', 'reject'],
  tool_args: { to: 'ada' },
};
const doubt = { ...plain, choices: ['run_again', 'happened', 'give_up'] };

let server: Server;
let url: string;
let approval: object;
let told: unknown[];
let lines: string[];
let approvals: object[];
/** The connection breaks off when something is decided. */
let answerLost: boolean;
/** What a decision is answered with. */
let decided: object;

beforeEach(async () => {
  [told, lines, approval, approvals, answerLost, decided] = [
    [],
    [],
    plain,
    [],
    false,
    { result: { response: 'done' } },
  ];
  server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    if (req.method === 'POST') told.push(JSON.parse(body));
    if (req.method === 'POST' && answerLost) {
      res.destroy();
      return;
    }
    const tool = { server: 'files', name: 'erase', state: 'changed', pin, destructiveHint: true, changes: [] };
    const answer = req.method === 'POST' ? { tools: [tool], ...decided } : { approval, approvals, tools: [tool] };
    res.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const print = (line: string) => void lines.push(line);
const says = (yes: boolean): Confirm => {
  return async (question) => {
    lines.push(question);
    return yes;
  };
};
const run = (flags: Parameters<typeof decide>[2], confirm?: Confirm) =>
  decide(url, uuid, flags, { print, confirm, commandLine: (words) => `npx stopgo ${words} --port 80` });

describe('an approval whose description is cut', () => {
  beforeEach(() => {
    approval = { ...plain, description_cut: true };
  });

  test.each(['approve', 'run_again', 'happened'])('is not decided by %s without --full', async (action) => {
    await expect(run({ action })).rejects.toThrow(
      `\`npx stopgo approve ${uuid} --full --port 80\` shows all arguments`,
    );
    expect(told).toEqual([]);
  });

  test('is approved with --full, after all arguments', async () => {
    await run({ action: 'approve', full: true });
    expect(lines).toEqual(['all arguments of pay:', '    | {', '    |   "to": "ada"', '    | }', '| done']);
    expect(told).toEqual([{ action: 'approve' }]);
  });

  test('is listed with all arguments by approvals --full, which decides nothing', async () => {
    approvals = [approval];
    await printApprovals(url, print);
    expect(lines).toContain('    cut: `stopgo approvals --full` shows all arguments; it is approved with --full');
    lines = [];
    await printApprovals(url, print, true);
    expect(lines).toEqual(expect.arrayContaining(['    all arguments of pay:', '        |   "to": "ada"']));
    expect(told).toEqual([]);
  });

  test('may be rejected as it is', async () => {
    await run({ action: 'reject' });
    expect(told).toEqual([{ action: 'reject' }]);
  });
});

test('a call that somebody has changed is listed with who did, why, and what it was before', async () => {
  const edited = { by: 'bob', claimed: true, said: 'Less.', tool_args_before: { to: 'ada', amount: 50, note: 'x' } };
  approvals = [{ ...plain, tool_args: { to: 'ada', amount: 5, tags: ['a'] }, edited }, plain];
  await printApprovals(url, print);
  const shown = lines.filter((line) => /^ {4}(changed| {2}\S+: )/.test(line));
  expect(shown).toEqual([
    '    changed by bob (claimed): Less.',
    '      amount: 5, it was 50',
    '      note: absent, it was "x"',
    '      tags: ["a"], it was absent',
  ]);
});

describe('a decision after which the call waits all the same is answered with why', () => {
  const anew = '2b1e8a5c-0b7c-4a53-9f0e-6a51e0f4f0aa';
  const voted = { ...plain, votes_needed: 2, votes: [{ decision: 'approved', by: 'ada', claimed: false }] };
  const edited = { by: 'bob', claimed: false, replaces: uuid, tool_args_before: {} };
  const response = { response: 'This action requires approval' };

  test.each([
    ['others are to say yes, too', { conversation: { pending_approvals: [voted] }, result: response }],
    ['the same, to who sees the approval alone', { approval: voted }],
  ])('%s', async (_, answer) => {
    decided = answer;
    await run({ action: 'approve' });
    expect(lines).toEqual(['the decision is recorded; 1 of the 2 that it needs have said yes']);
  });

  test.each([
    [
      'it was changed, and others are to say yes',
      { conversation: { pending_approvals: [{ ...voted, uuid: anew, edited }] }, result: response },
    ],
    ['the same, to who sees the approval alone', { approval: { ...plain, status: 'withdrawn', replaced_by: anew } }],
  ])('%s', async (_, answer) => {
    decided = answer;
    await run({ action: 'approve', arguments: '{"to":"bob"}' });
    expect(lines).toEqual([`the decision is recorded; the changed call waits for others, as approval ${anew}`]);
  });

  test('nothing is said of the run to who sees the approval alone', async () => {
    decided = { approval: { ...voted, status: 'approved' } };
    await run({ action: 'approve' });
    expect(lines).toEqual(['the decision is recorded']);
  });
});

describe('what a rule demands', () => {
  const demanded = {
    ...plain,
    votes_needed: 2,
    votes: [{ decision: 'approved', by: 'ada', claimed: true }],
    approvers: ['group:finance', 'bob'],
    separation_of_duties: true,
    expires_at: '2026-01-01T00:00:00.000Z',
  };

  test('is shown: who decides, who has, and until when', async () => {
    approvals = [{ ...demanded, on_expiry: 'reject' }];
    await printApprovals(url, print);
    expect(lines).toEqual(
      expect.arrayContaining([
        '    decided by 2 of: group:finance, bob, but not who asked for it',
        '    so far: approved by ada (claimed)',
        '    rejected at 2026-01-01T00:00:00.000Z',
      ]),
    );
  });

  test('is shown with what people say that a call came to, and that they differ', async () => {
    const happened = (by: string, result: string) => ({
      ...{ decision: 'happened', by, claimed: false, result_sha256: result.repeat(64) },
    });
    const differ = '    they do not say the same result: only those with the same one count together';
    approvals = [{ ...demanded, votes: [happened('ada', 'a'), happened('bob', 'b')] }];
    await printApprovals(url, print);
    expect(lines).toEqual(
      expect.arrayContaining([
        '    so far: happened by ada (result aaaaaaaa), happened by bob (result bbbbbbbb)',
        differ,
      ]),
    );
    lines = [];
    approvals = [{ ...demanded, votes: [happened('ada', 'a'), happened('bob', 'a')] }];
    await printApprovals(url, print);
    expect(lines).not.toContain(differ);
  });

  test('is shown to be overdue once it is', async () => {
    approvals = [
      { ...demanded, on_expiry: 'leave' },
      { ...demanded, on_expiry: 'leave', expires_at: '9999-01-01T00:00:00.000Z' },
    ];
    await printApprovals(url, print);
    expect(lines.filter((line) => line.includes('overdue'))).toEqual([
      '    overdue since 2026-01-01T00:00:00.000Z',
      '    overdue from 9999-01-01T00:00:00.000Z',
    ]);
  });
});

describe('a reason', () => {
  test.each(['reject', 'withdraw'])('goes with %s', async (action) => {
    await run({ action, reason: 'Use the test account.' });
    expect(told).toEqual([{ action, reason: 'Use the test account.' }]);
  });
});

describe('to reject a call in doubt', () => {
  beforeEach(() => {
    approval = doubt;
  });

  test('says what it means, and wants --give-up where nobody can be asked', async () => {
    await expect(run({ action: 'reject' })).rejects.toThrow(/may have happened; giving it up means .* not run again/);
    await expect(run({ action: 'reject' })).rejects.toThrow(
      `\`npx stopgo approve ${uuid} --action run_again|happened --port 80\``,
    );
    expect(told).toEqual([]);
    await run({ action: 'reject', giveUp: true });
    expect(told).toEqual([{ action: 'give_up' }]);
  });

  test('asks on a terminal: only a yes gives it up', async () => {
    await expect(run({ action: 'reject' }, says(false))).rejects.toThrow('nothing was decided');
    expect(lines).toEqual([expect.stringMatching(/^pay: .* may have happened/), 'Give it up?']);
    expect(told).toEqual([]);
    await run({ action: 'reject' }, says(true));
    expect(told).toEqual([{ action: 'give_up' }]);
  });
});

test.each([false, true])('to approve a call in doubt, one says what became of it (--full: %s)', async (full) => {
  approval = doubt;
  const said = String(await run({ action: 'approve', full }).catch((error: unknown) => error)).split('\n');
  expect(said).toEqual([
    'Error: this call was started and may have happened; look whether it did, and say so:',
    expect.stringMatching(`^  npx stopgo approve ${uuid} --action happened --result TEXT --port 80   it happened; `),
    expect.stringMatching(`^  npx stopgo approve ${uuid} --action run_again --port 80   it did not happen`),
    expect.stringMatching(`^  npx stopgo approve ${uuid} --action give_up --port 80   nobody can tell`),
  ]);
  expect([told, lines]).toEqual([[], []]);
  await run({ action: 'run_again' });
  expect(told).toEqual([{ action: 'run_again' }]);
});

test('where the answer to a decision is lost, nobody claims to know what became of it', async () => {
  answerLost = true;
  await expect(run({ action: 'approve' })).rejects.toThrow(
    /^no answer from .*; the decision may have been recorded: give the same command again to find out, which records nothing twice$/,
  );
  // Once more by itself.
  expect(told).toEqual(Array(2).fill({ action: 'approve' }));
});

test('a plain rejection asks nothing', async () => {
  await run({ action: 'reject' }, says(false));
  expect(told).toEqual([{ action: 'reject' }]);
});

describe('an answer to a tool server', () => {
  const notice = fileURLToPath(new URL('../../LICENSE', import.meta.url));
  const answer = (content: string) => answerInput(url, 'c', { input: 'i', content }, print);

  test.each([
    ['{"amount":0.1234567890123456789}', '--content: the number 0.1234567890123456789 at /amount is not kept exactly'],
    ['{"amount":1e-400}', '--content: the number 1e-400 at /amount is not kept exactly'],
    ['{"amount":9007199254740993}', '--content: the number 9007199254740993 at /amount is out of range'],
    ['{"amount":1,"amount":100}', '--content: the member /amount stands twice'],
    ['amount: 1', '--content takes JSON'],
  ])('is sent as it was written, or not at all: %s', async (content, problem) => {
    await expect(answer(content)).rejects.toThrow(problem);
    expect(told).toEqual([]);
  });

  test('is sent with its file', async () => {
    const file = { name: 'LICENSE', media_type: 'text/plain' };
    await answerInput(url, 'c', { input: 'i', file: notice, mediaType: 'text/plain' }, print);
    expect(told).toEqual([{ action: 'accept', file: { ...file, base64: readFileSync(notice, 'base64') } }]);
  });

  test.each([
    [{ content: '{}', file: 'a' }, 'give --content or --file'],
    [{ content: '{}', mediaType: 'text/plain' }, '--media-type says what a --file is'],
    [{ file: 'none' }, 'cannot be read: ENOENT'],
  ])('that is none is not sent: %j', async (flags, problem) => {
    await expect(answerInput(url, 'c', { input: 'i', ...flags }, print)).rejects.toThrow(problem);
    expect(told).toEqual([]);
  });

  test('is sent with its values', async () => {
    await answer('{"amount":42}');
    expect(told).toEqual([{ action: 'accept', content: { amount: 42 } }]);
  });
});

describe('to accept a tool', () => {
  const given: ToolsArguments = { action: 'accept', server: 'files', tool: 'erase', by: undefined, pin: undefined };
  const accept = (more: Partial<ToolsArguments>) => toolsCommand(url, { ...given, ...more }, print);
  const accepted = [{ tools: [{ server: 'files', name: 'erase', pin }] }];

  test('wants the pin, or somebody who says yes', async () => {
    await expect(accept({})).rejects.toThrow('nothing was accepted: name the TOOL and the pin');
    await expect(accept({ confirm: says(false) })).rejects.toThrow('nothing was accepted');
    await expect(accept({ pin: '' })).rejects.toThrow('12 digits');
    await expect(accept({ pin: pin.slice(0, 11) })).rejects.toThrow('12 digits');
    await expect(accept({ pin: 'f'.repeat(12) })).rejects.toThrow(`erase has the pin ${pin} now`);
    expect(told).toEqual([]);
  });

  test('takes the pin that was shown, or a yes after it was shown', async () => {
    await accept({ pin: pin.slice(0, 12) });
    expect(told).toEqual(accepted);
    lines = [];
    await accept({ confirm: says(true) });
    expect(lines.slice(0, 2)).toEqual([expect.stringMatching(/^erase of files: changed, pin/), 'Accept it as shown?']);
    expect(told).toEqual([...accepted, ...accepted]);
  });
});
