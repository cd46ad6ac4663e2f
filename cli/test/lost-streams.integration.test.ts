import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  agentStream,
  conversationStream,
  type Fact,
  fact,
  newEvents,
  pushStream,
  sha256Hex,
  toolStream,
  toolsetStream,
} from '@stopgo/core';
import { store } from '@stopgo/proto';
import { type Client, createInProcessClient } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { startStore } from '@stopgo/store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NamedStreams } from '../src/inspect/named-streams.ts';
import { verify } from '../src/inspect/verify.ts';

/** A stream that is gone leaves nothing to verify: only what names it tells. */
let folder: string;
let stop: () => Promise<void>;
let client: Client<typeof store.StoreService>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stopgo-lost-'));
  const log = createLogger({ level: 'error', format: 'text', destination: process.stderr });
  const running = await startStore({ dataDir: folder, log });
  stop = running.stop;
  client = createInProcessClient(store.StoreService, running.service);
});

afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});

async function append(stream: string, ...facts: readonly Fact[]) {
  const frame = { now: 0, actor: { kind: 'system', id: 'o' } as const, causationId: '', correlationId: 's' };
  const ids = facts.map(() => randomUUID());
  const events = newEvents(facts, frame, ids);
  const appended = await client.append({ stream, expectedRevision: 0, events, idempotencyKey: randomUUID() });
  expect(appended.outcome.case).toBe('appended');
}

const agent = sha256Hex('agent');
const toolset = sha256Hex('toolset');
const called = sha256Hex('called');
const offered = sha256Hex('offered');
const pins = `pins-${sha256Hex('identity')}`;
const [id, other] = [randomUUID(), randomUUID()];

/** What each stream of a small log holds. */
const streams: Readonly<Record<string, readonly Fact[]>> = {
  [agentStream(agent)]: [fact('agentDefined', { digest: agent, definitionJson: '{}' })],
  [toolsetStream(toolset)]: [
    fact('toolsetDefined', {
      digest: toolset,
      definitionJson: JSON.stringify([
        { server: 's', name: 'called', pin: called },
        { server: 's', name: 'offered', pin: offered },
      ]),
    }),
  ],
  [toolStream(called)]: [fact('toolDefined', { pin: called, definitionJson: '{}' })],
  [toolStream(offered)]: [fact('toolDefined', { pin: offered, definitionJson: '{}' })],
  [pins]: [fact('toolServerMet', { identity: 'i', server: 's', tools: [{ name: 'called', pin: called }] })],
  [conversationStream(other)]: [fact('conversationCreated', { conversationId: other, agentName: 'demo' })],
  [pushStream(other)]: [fact('pushConfigured', { conversationId: other, configId: 'c', url: 'https://a.example' })],
  [conversationStream(id)]: [
    fact('conversationCreated', {
      conversationId: id,
      agentName: 'demo',
      earlier: [{ conversationId: other, text: 'hello' }],
    }),
    fact('userMessageReceived', { runId: 'r', text: 'go' }),
    fact('runStarted', {
      runId: 'r',
      agentDigest: agent,
      toolsetDigest: toolset,
      owner: { instance: 'o', epoch: 1 },
    }),
    fact('stepStarted', { runId: 'r', stepId: 'root', node: 'demo', nodeType: 'llm' }),
    fact('modelResponded', {
      runId: 'r',
      stepId: 'root',
      turn: 1,
      calls: [
        {
          callId: 'root#1.0',
          tool: 'called',
          server: 's',
          argumentsJson: '{}',
          disposition: 1,
          repeatable: true,
          pin: called,
        },
        { callId: 'root#1.1', tool: 'exit_loop', argumentsJson: '{}', disposition: 5, pin: 'of-the-platform' },
      ],
    }),
  ],
};

/** What `verify` says of that log without some of its streams. */
async function verified(missing: readonly string[], of?: string) {
  for (const [stream, facts] of Object.entries(streams)) if (!missing.includes(stream)) await append(stream, ...facts);
  const lines: string[] = [];
  const good = await verify({ client, close: async () => undefined }, of, (line) => void lines.push(line));
  return { good, lines };
}

const restore = expect.stringMatching(/^What is gone is only in a backup: `stopgo verify --data-dir BACKUP` /);

test('a log that has all that its events name is whole', async () => {
  expect(await verified([])).toEqual({
    good: true,
    lines: ['8 streams, 12 events: every hash chain holds and every view equals its events'],
  });
});

test.each([
  [
    'agent',
    agentStream(agent),
    `the definition of an agent is gone from the log; named by event 3 of conversation-${id}`,
  ],
  [
    'set of tools',
    toolsetStream(toolset),
    `the definition of a set of tools is gone from the log; named by event 3 of conversation-${id}`,
  ],
  [
    'tool that was offered',
    toolStream(offered),
    `the definition of a tool is gone from the log; named by event 3 of conversation-${id} through toolset-${toolset}`,
  ],
  [
    'tool that was called and accepted',
    toolStream(called),
    `the definition of a tool is gone from the log; named by event 5 of conversation-${id}, event 1 of ${pins}`,
  ],
])('a definition that is gone is told (%s), with who names it', async (_, missing, problem) => {
  const { good, lines } = await verified([missing]);
  expect({ good, lines: lines.slice(0, -1) }).toEqual({ good: false, lines: [`${missing}: ${problem}`, restore] });
  expect(lines.at(-1)).toMatch(/^7 streams, \d+ events: 1 problem$/);
});

test('a whole conversation that is gone is told where another one, or a push stream, names it', async () => {
  const { good, lines } = await verified([conversationStream(other)]);
  expect({ good, lines: lines.slice(0, -1) }).toEqual({
    good: false,
    lines: [
      `${conversationStream(other)}: this conversation is gone from the log; named by event 1 of conversation-${id}, event 1 of push-${other}`,
      restore,
    ],
  });
});

test('of one conversation, what it names is looked for, also the tools of its sets', async () => {
  const { good, lines } = await verified([agentStream(agent), toolStream(offered)], id);
  const by = `named by event 3 of conversation-${id}`;
  expect({ good, lines }).toEqual({
    good: false,
    lines: [
      `${agentStream(agent)}: the definition of an agent is gone from the log; ${by}`,
      `${toolStream(offered)}: the definition of a tool is gone from the log; ${by} through toolset-${toolset}`,
      restore,
      '1 stream, 5 events: 2 problems',
    ],
  });
});

test('of those who name a stream, the first ten are shown', async () => {
  const all = Array.from({ length: 12 }, () => randomUUID()).toSorted();
  for (const one of all)
    await append(
      conversationStream(one),
      fact('conversationCreated', {
        conversationId: one,
        agentName: 'demo',
        earlier: [{ conversationId: other, text: 'hello' }],
      }),
    );
  const lines: string[] = [];
  await verify({ client, close: async () => undefined }, undefined, (line) => void lines.push(line));
  const named = all.slice(0, 10).map((one) => `event 1 of conversation-${one}`);
  expect(lines[0]).toBe(
    `${conversationStream(other)}: this conversation is gone from the log; named by ${named.join(', ')} and others`,
  );
});

test('a stream that is listed and has no event any more is gone', async () => {
  const named = new NamedStreams();
  named.add(toolStream(called), { events: 0, named: [] });
  named.add(pins, {
    events: 1,
    named: [{ $typeName: 'stopgo.store.v1.NamedStream', stream: toolStream(called), revision: 1 }],
  });
  const lines: string[] = [];
  for await (const line of named.missing(async () => false)) lines.push(line);
  expect(lines).toEqual([
    `${toolStream(called)}: the definition of a tool is gone from the log; named by event 1 of ${pins}`,
  ]);
});
