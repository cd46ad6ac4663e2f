import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conversationStream, fact, sha256Hex } from '@stopgo/core';
import { facts, store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { startStore } from '@stopgo/store';
import { expect, test } from 'vitest';
import { printReplay } from '../src/inspect/replay.ts';
import { append, conversationId } from './report-run.ts';

test.each([`agent-${sha256Hex('none')}`, `conversations`])(
  'what is no conversation is not replayed: %s',
  async (id) => {
    const nobody = { client: {} as Parameters<typeof printReplay>[0]['client'], close: async () => undefined };
    await expect(printReplay(nobody, id, undefined, () => undefined)).rejects.toThrow(
      /(is not|is neither) the ID of a/,
    );
  },
);

/** A line break, a right-to-left override and a control sequence of terminals. */
const hidden = '\n\u202e\u001b[2J';
const shown = '\\n\\u{202e}\\u{1b}[2J';

test('a replay hides nothing in the ids that it shows', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'stopgo-replay-'));
  const log = createLogger({ level: 'error', format: 'text', destination: { write: () => true } });
  const { service, stop } = await startStore({ dataDir, log });
  const lines: string[] = [];
  try {
    const client = createInProcessClient(store.StoreService, service);
    const [runId, stepId, callId] = [`run${hidden}`, `step${hidden}`, `call${hidden}`];
    const digest = sha256Hex('none');
    const owner = { instance: `driver${hidden}`, epoch: 1 };
    const call = {
      callId,
      tool: 'publish',
      server: 'files',
      disposition: facts.Disposition.GATED,
      argumentsJson: '{}',
    };
    const asked = { runId, stepId, callId, tool: 'publish', server: 'files', kind: facts.ApprovalKind.TOOL };
    const recorded = [
      fact('conversationCreated', { conversationId, agentName: 'demo' }),
      fact('userMessageReceived', { runId, text: 'hi' }),
      fact('runStarted', { runId, agentDigest: digest, toolsetDigest: digest, owner }),
      fact('stepStarted', { runId, stepId, nodeType: `llm${hidden}`, node: 'demo' }),
      fact('modelResponded', { runId, stepId, node: 'demo', turn: 1, text: '', calls: [call] }),
      fact('approvalRequested', { ...asked, approvalId: `approval${hidden}` }),
    ];
    await append(client, conversationStream(conversationId), 0, recorded);
    await printReplay({ client, close: async () => undefined }, conversationId, undefined, (line) => lines.push(line));
  } finally {
    await stop();
    rmSync(dataDir, { recursive: true });
  }
  expect(lines.slice(lines.indexOf('') + 1)).toEqual([
    expect.stringMatching(`^conversation ${conversationId} at revision 6, `),
    `run run${shown}: working, driven by driver${shown}`,
    `  step step${shown} (llm${shown}): 1 model answers`,
    expect.stringContaining(`  call call${shown} publish: `),
    `  pending approval approval${shown}`,
  ]);
});
