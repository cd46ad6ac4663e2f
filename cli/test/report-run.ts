import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  agentStream,
  conversationStream,
  defineAgent,
  defineToolset,
  type Fact,
  fact,
  newEvents,
  type StreamName,
  toolsetStream,
} from '@stopgo/core';
import { facts, type store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { parseAgentConfig } from '@stopgo/runtime';
import { agentDefinition } from '../src/parts/agent-definition.ts';
import { root } from './stopgo.ts';

/** A page of the documentation. */
export const page = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8');

/** The text of the first fenced block of a kind that comes after a text. */
export function blockAfter(source: string, text: string, kind: string): string {
  const from = source.indexOf(text);
  if (from < 0) throw new Error(`there is no ${JSON.stringify(text)}`);
  return new RegExp(`\`\`\`${kind}\n(.*?)\`\`\``, 's').exec(source.slice(from))?.[1] ?? '';
}

/** The tree of the documentation. */
export const reportYaml = blockAfter(page('configuration.md'), '## Trees', 'yaml');

/** When the runs of the tests begin, in milliseconds since 1970. */
export const morning = Date.UTC(2026, 0, 15, 10, 30);

export const conversationId = '7d1f3c1e-5b0a-4c55-9a3e-0f7c2f1f9b1d';
export const runId = 'a1f0c9e4-3c5d-4a57-8f58-5a2f0e9d7c11';
export const approvalId = '3b241101-e2bb-4255-8caf-4136c566a962';

/** Puts facts on the record, as one append, some seconds after the beginning. */
export async function append(client: Client<typeof store.StoreService>, to: StreamName, seconds: number, all: Fact[]) {
  const { headRevision } = await client.readStream({ stream: to, fromRevision: 1, limit: 1 });
  const actor = { kind: 'system', id: 'orchestrator-1' } as const;
  const frame = { now: morning + seconds * 1_000, actor, causationId: '', correlationId: 'session' };
  const ids = all.map(() => randomUUID());
  const events = newEvents(all, frame, ids);
  await client.append({ stream: to, expectedRevision: headRevision, events, idempotencyKey: randomUUID() });
}

const step = (stepId: string, nodeType: string, node: string) => fact('stepStarted', { runId, stepId, nodeType, node });
const end = (stepId: string) => fact('stepFinished', { runId, stepId });
const said = (stepId: string, node: string, inputTokens: number, outputTokens: number, calls: facts.Call[] = []) => {
  const usage = { inputTokens, outputTokens, costNanoUsd: BigInt(300 * inputTokens + 2_500 * outputTokens) };
  return fact('modelResponded', { runId, stepId, node, turn: 1, text: 'So.', usage, calls });
};

/** A run of the documentation's tree up to its second draft, which its writer may not publish without somebody's yes. */
export async function recordReport(client: Client<typeof store.StoreService>): Promise<void> {
  const { config } = parseAgentConfig(reportYaml, 'report.yaml');
  const { digest, definitionJson } = defineAgent(agentDefinition(config));
  await append(client, agentStream(digest), 0, [fact('agentDefined', { digest, definitionJson })]);
  const stream = conversationStream(conversationId);
  const owner = { instance: 'orchestrator-1', epoch: 1 };
  const toolset = defineToolset(new Map());
  const toolsetDigest = toolset.digest;
  await append(client, toolsetStream(toolsetDigest), 0, [fact('toolsetDefined', toolset)]);
  const place = { runId, stepId: 'root/1[2]/0', callId: 'root/1[2]/0#1.0' };
  const publish = { callId: place.callId, tool: 'publish', server: 'files', disposition: facts.Disposition.GATED };
  await append(client, stream, 0, [fact('conversationCreated', { conversationId, agentName: 'report' })]);
  await append(client, stream, 0, [
    fact('userMessageReceived', { runId, text: 'the year' }),
    fact('runStarted', { runId, agentDigest: digest, toolsetDigest, owner, pipeline: true }),
    step('root', 'sequential', 'report'),
    step('root/0', 'parallel', 'parallel_1'),
    step('root/0/0', 'llm', 'figures'),
    step('root/0/1', 'llm', 'news'),
  ]);
  await append(client, stream, 2.1, [said('root/0/0', 'figures', 210, 40), end('root/0/0')]);
  await append(client, stream, 3.4, [
    said('root/0/1', 'news', 190, 62),
    end('root/0/1'),
    end('root/0'),
    step('root/1', 'loop', 'loop_2'),
    step('root/1[1]/0', 'llm', 'writer'),
  ]);
  await append(client, stream, 8.4, [
    said('root/1[1]/0', 'writer', 520, 180),
    end('root/1[1]/0'),
    step('root/1[2]/0', 'llm', 'writer'),
  ]);
  await append(client, stream, 12, [
    said('root/1[2]/0', 'writer', 700, 30, [{ ...emptyCall, ...publish }]),
    fact('approvalRequested', {
      ...place,
      approvalId,
      tool: 'publish',
      server: 'files',
      kind: facts.ApprovalKind.TOOL,
    }),
    fact('runReleased', { runId }),
  ]);
}

const emptyCall: facts.Call = {
  $typeName: 'stopgo.events.v1.Call',
  callId: '',
  providerCallId: '',
  tool: '',
  server: '',
  argumentsJson: '{}',
  disposition: facts.Disposition.ALLOWED,
  repeatable: false,
  pin: '',
  digest: '',
  error: '',
  reason: '',
  rule: '',
  policyDigest: '',
  agent: '',
  platformAgent: '',
  memoryOf: '',
  askedBy: '',
  sharedBy: '',
  agentRefusal: facts.AgentRefusal.UNSPECIFIED,
};
