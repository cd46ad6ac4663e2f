import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentStream, conversationStream, defineAgent, fact, pictureOfAgent, sha256Hex } from '@stopgo/core';
import { store } from '@stopgo/proto';
import { bind, type Client, createInProcessClient, Secret, startGrpcServer } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { type RunningStore, startStore } from '@stopgo/store';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pictureFromLog } from '../src/graph/command.ts';
import { mermaidPicture, mermaidText } from '../src/graph/mermaid-picture.ts';
import { textPicture } from '../src/graph/text-picture.ts';
import { label, tookText, waitsFor, whatItIs } from '../src/graph/words.ts';
import { runCaptured } from '../src/run-captured.ts';
import {
  append,
  approvalId,
  blockAfter,
  conversationId,
  morning,
  page,
  recordReport,
  reportYaml,
  runId,
} from './report-run.ts';
import { stopgo } from './stopgo.ts';

const folder = mkdtempSync(join(tmpdir(), 'stopgo-graph-'));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const dataDir = join(folder, 'data');
const log = createLogger({ level: 'error', format: 'text', destination: process.stderr });
const report = file('report.yaml', `${reportYaml}data_dir: ${dataDir}\n`);
const newConversation = randomUUID();
const twoRuns = randomUUID();
const llm = { type: 'llm', model: 'm', prompt: '', outputKey: '', canExitLoop: false, turnsMax: 1 } as const;
const plain = defineAgent({ name: 'plain', root: { ...llm, name: 'plain', approval: 'default' } });

/** The embedded log as a process finds it that has it for itself. */
async function withLog<T>(
  work: (client: Client<typeof store.StoreService>, service: RunningStore['service']) => Promise<T>,
): Promise<T> {
  const { service, stop } = await startStore({ dataDir, log });
  try {
    return await work(createInProcessClient(store.StoreService, service), service);
  } finally {
    await stop();
  }
}

beforeAll(() =>
  withLog(async (client) => {
    await recordReport(client);
    const created = (id: string) => [fact('conversationCreated', { conversationId: id, agentName: 'plain' })];
    await append(client, conversationStream(newConversation), 0, created(newConversation));
    const { digest, definitionJson } = plain;
    await append(client, agentStream(digest), 0, [fact('agentDefined', { digest, definitionJson })]);
    const stream = conversationStream(twoRuns);
    await append(client, stream, 0, created(twoRuns));
    const owner = { instance: 'o', epoch: 1 };
    const usage = { inputTokens: 7, outputTokens: 3 };
    for (const [seconds, id] of ['first', 'second'].entries()) {
      await append(client, stream, seconds, [
        fact('userMessageReceived', { runId: id, text: 'hi' }),
        fact('runStarted', { runId: id, agentDigest: digest, toolsetDigest: sha256Hex('none'), owner }),
        fact('stepStarted', { runId: id, stepId: 'root', nodeType: 'llm', node: 'plain' }),
      ]);
      if (id === 'second') continue;
      await append(client, stream, seconds + 0.5, [
        fact('modelResponded', { runId: id, stepId: 'root', turn: 1, text: 'Hi.', usage }),
        fact('stepFinished', { runId: id, stepId: 'root' }),
        fact('runCompleted', { runId: id }),
      ]);
    }
  }),
);

afterAll(() => rmSync(folder, { recursive: true }));

describe('the tree of a file', () => {
  test.each([
    ['text', []],
    ['mermaid', ['--format', 'mermaid']],
  ])('is drawn as the documentation shows it: %s', async (kind, args) => {
    const { code, output, errors } = await stopgo(['graph', '--config', report, ...args]);
    expect([code, errors]).toEqual([0, '']);
    expect(output).toBe(blockAfter(page('configuration.md'), 'stopgo graph --config', kind));
  });

  test('of one node is one line', async () => {
    const { output } = await runCaptured(['graph', '--config', file('one.yaml', 'name: one\nllm: { model: m }')]);
    expect(output).toBe('one  llm m\n');
  });
});

describe('a run', () => {
  test('is drawn as the documentation shows it', async () => {
    const lines = await withLog(async (client) => {
      const opened = { client, close: async () => undefined };
      const wanted = { conversation: conversationId };
      return textPicture(await pictureFromLog(opened, wanted, undefined, morning + 72_000, () => undefined));
    });
    expect(`${lines.join('\n')}\n`).toBe(blockAfter(page('operations.md'), 'stopgo graph CONVERSATION', 'text'));
  });

  test('is drawn from a data directory and from a running store, in both forms', async () => {
    const token = randomBytes(24).toString('hex');
    const args = ['graph', conversationId, '--format', 'mermaid'];
    const embedded = await runCaptured([...args, '--data-dir', dataDir]);
    expect(embedded).toMatchObject({ code: 0, errors: '' });
    expect(embedded.output).toContain(`waits for approval ${approvalId} for publish of files`);
    expect(embedded.output).toMatch(
      /root_1\["loop_2<br\/>loop, at most 3 times<br\/>waiting, iteration 2<br\/>.*:::waiting\n/,
    );
    expect(embedded.output).toContain('1620 tokens in, 312 out');
    const remote = await withLog(async (_, service) => {
      const services = [bind(store.StoreService, service)];
      const server = await startGrpcServer({ address: '127.0.0.1:0', services, internalToken: new Secret(token) });
      try {
        return await runCaptured([...args, '--store', server.address], { STOPGO_INTERNAL_TOKEN: token });
      } finally {
        await server.stop(0);
      }
    });
    // What goes on is counted up to the moment of looking.
    const timeless = (text: string) => text.replace(/took [^<]*|[^,]* so far/g, '');
    expect([remote.code, remote.errors, timeless(remote.output)]).toEqual([0, '', timeless(embedded.output)]);
  });

  test('is the latest one, or the one that is named, which no later one changes', async () => {
    const read = (...more: string[]) => runCaptured(['graph', twoRuns, '--data-dir', dataDir, ...more]);
    const latest = await read();
    expect(latest.output).toMatch(/run second: working\n.*so far, 0 tokens in, 0 out\n/);
    const first = await read('--run', 'first');
    expect(first.output).toMatch(
      /run first: completed\nstarted 2026-01-15T10:30:00.000Z, 500 ms, 7 tokens in, 3 out\n/,
    );
    expect(first.output).toMatch(/^plain +done +2026-01-15T10:30:00.000Z +500 ms +7 +3 +llm m$/m);
  });

  test('is drawn over the tree it started with; a file that has changed since is noted, one that has not is not', async () => {
    const { output, errors } = await runCaptured(['graph', conversationId, '--config', report]);
    expect([errors, output.includes('loop_2')]).toEqual(['', true]);
    const changed = file('changed.yaml', `name: report\nprompt: Another.\ndata_dir: ${dataDir}\n`);
    const now = await runCaptured(['graph', conversationId, '--config', changed]);
    expect(now.output.replace(/\d.*/g, '')).toBe(output.replace(/\d.*/g, ''));
    expect(now.errors).toBe(
      `note: ${changed} describes another agent by now; this is the one that the run started with\n`,
    );
  });
});

describe('what cannot be drawn is one line', () => {
  const absent = '00000000-0000-4000-8000-000000000000';
  const from = ['--data-dir', dataDir];
  test.each<[string[], string]>([
    [[absent, ...from], `stopgo: there is no stream conversation-${absent} in this log`],
    [
      [conversationId, ...from, '--run', 'x\u001b'],
      `stopgo: conversation ${conversationId} has no run "x\\u{1b}"; "stopgo events ${conversationId}" shows its runs (RunStarted)`,
    ],
    [[newConversation, ...from], `stopgo: conversation ${newConversation} has no run yet`],
    [[agentStream(plain.digest), ...from], `stopgo: "agent-${plain.digest}" is not the ID of a conversation (a UUID)`],
    [['--format', 'constructor'], 'stopgo: --format takes text or mermaid, not "constructor"'],
    [['--run', runId], 'stopgo: --run goes with the ID of a conversation'],
    [
      ['--config', file('bad.yaml', 'agent: { type: loop }')],
      `Failed to load config: ${join(folder, 'bad.yaml')}: agent: a node of type "loop" needs at least one entry in agents`,
    ],
    [
      [conversationId, '--config', join(folder, 'bad.yaml'), ...from],
      `Failed to load config: ${join(folder, 'bad.yaml')}: agent: a node of type "loop" needs at least one entry in agents`,
    ],
  ])('%j', async (args, line) => {
    expect(await runCaptured(['graph', ...args])).toEqual({ code: 1, output: '', errors: `${line}\n` });
  });
});

test('a node that stands for another agent says whom it asks, and what waits there has no server', () => {
  const agent = {
    name: 'bank',
    url: 'https://b.example.com/a2a',
    description: '',
    destructive: true,
    forwardsBearer: true,
  };
  const root = {
    type: 'a2a',
    name: 'pay',
    agent,
    prompt: 'Pay {sum}.',
    outputKey: 'paid',
    approval: 'require',
  } as const;
  const some = { ...llm, name: 'n', approval: 'default', toolServers: ['files', 'web'], tools: [] } as const;
  expect(whatItIs(some)).toBe('llm m, tools of files web, tools none');
  expect(whatItIs(some, ['m'])).toBe('llm m, tools of files web, tools none');
  expect(whatItIs({ ...some, model: 'openai:m' }, ['m'])).toMatch(/^llm openai:m, tools/);
  expect(whatItIs(some, ['m', 'offline'])).toBe('llm m, answered by offline, tools of files web, tools none');
  expect(whatItIs(root)).toBe('a2a https://b.example.com/a2a, reads sum, writes paid, destructive, approval: require');
  expect(waitsFor({ kind: 'approval', id: 'i', tool: 'a2a_bank', server: '', since: 0 })).toBe(
    'waits for approval i for a2a_bank, since 1970-01-01T00:00:00.000Z',
  );
});

describe('names', () => {
  test.each([
    ['plan', 'plan'],
    ['resources_add gemini-2.5-flash 10:30', 'resources_add gemini-2.5-flash 10:30'],
    ['日本語 naïve', '日本語 naïve'],
    ['say "hi"', 'say #34;hi#34;'],
    ['a[b](c){d}|e|', 'a#91;b#93;#40;c#41;#123;d#125;#124;e#124;'],
    ['#quot; &amp; <b>', '#35;quot#59; #38;amp#59; #60;b#62;'],
    ['%%{init}%%', '#37;#37;#123;init#125;#37;#37;'],
    ['1. one', '1#46; one'],
    ['- one', '#45; one'],
    ['_x_ www.a.org', '#95;x#95; www#46;a#46;org'],
    ['  two', '#32;#32;two'],
    ['😀', '#128512;'],
  ])('%j are no syntax of Mermaid', (text, expected) => {
    expect(mermaidText(text)).toBe(expected);
  });

  test('whatever they are, take one line in which nothing acts, and Mermaid shows what they say', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (name) => {
        const tree = pictureOfAgent({ name, root: { ...llm, name, model: name, approval: 'default' } });
        const [line = '', ...more] = textPicture(tree);
        expect([more, /[\p{Cc}\p{Cs}\u202a-\u202e\u2028]/u.test(line)]).toEqual([[], false]);
        const [, node = '', ...rest] = mermaidPicture(tree);
        expect(rest).toEqual([]);
        const [, first = ''] = /^ {2}root\["((?:[\p{L}\p{M}\p{N} ,_.:-]|#\d+;)*)<br\/>.*"\]$/u.exec(node) ?? [];
        const shown = first.replace(/#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
        expect(shown).toBe(label(name));
      }),
    );
  });

  test('that are long are cut', () => {
    expect(label('x'.repeat(200))).toBe(`${'x'.repeat(128)}…`);
    expect(label('a\nb\tc')).toBe('a\\nb\\tc');
  });
});

test('how long something took has a unit', () => {
  expect([0, 999, 59_900, 61_000, 3_660_000, 90_000_000].map(tookText)).toEqual([
    '0 ms',
    '999 ms',
    '59.9 s',
    '1 min 1 s',
    '1 h 1 min',
    '1 d 1 h',
  ]);
});
