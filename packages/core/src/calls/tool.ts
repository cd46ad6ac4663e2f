/** Tools of MCP servers. */
import { facts as wire } from '@stopgo/proto';
import { fact } from '../events/facts.ts';
import type { AskedKind, CallKind, SentKind } from './kind.ts';
import { takesTool } from './takes-tool.ts';
import { wholeToolCall } from './tool-call-words.ts';

const asked: AskedKind = {
  approvalKind: wire.ApprovalKind.TOOL,
  describe: ({ tool, argumentsJson }) => wholeToolCall(tool, argumentsJson),
};

const sent: SentKind = {
  started: (runId, { id: callId, stepId, approvalId = '' }, attempt, bridgeInstance) =>
    fact('toolCallStarted', { runId, stepId, callId, attempt, bridgeInstance, approvalId }),
  whose: (server) => `${server} server`,
  forwardsBearer: ({ tool }, { tools }) => tools.get(tool)?.forwardsBearer === true,
};

/** A call of a tool goes to a bridge, which alone knows its server. */
export const toolKind = {
  noun: 'the tool',
  offers: ({ node }, tools) => (node.type === 'llm' ? [...tools.values()].filter((tool) => takesTool(node, tool)) : []),
  problemOf: () => undefined,
  asked,
  sent,
} as const satisfies CallKind;
