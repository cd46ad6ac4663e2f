/** What people are asked for, as views show it. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { views } from '@stopgo/proto';
import { inputTypeToWire } from '../interrupts/kinds/of-agent.ts';
import { type Input, interruptsOf, type Request } from '../state/interrupt.ts';
import type { RunState } from '../state/state.ts';

type PendingInput = MessageInitShape<typeof views.PendingInputSchema>;

/** All that the run asks people for beside approvals and tokens, oldest first. */
export function pendingInputs(run: RunState | null): PendingInput[] {
  const all = [...interruptsOf(run, 'input'), ...interruptsOf(run, 'request')];
  const isFirst = run?.settledInputs === undefined;
  return all
    .sort((one, other) => one.requestedAt - other.requestedAt)
    .map((one, index) => ({
      ...{ id: one.id, callId: one.callId, message: one.prompt, requestedAt: timestampFromMs(one.requestedAt) },
      ...(one.kind === 'input' ? ofServer(one) : ofAgent(one)),
      first: index === 0 && isFirst,
    }));
}

function ofServer({ server: { server, tool, schemaJson, url, node, expiresAt } }: Input): PendingInput {
  return { server, tool, schemaJson, url, node, expiresAt: timestampFromMs(expiresAt) };
}

function ofAgent({ dueAt, asks: { type, schemaJson, isRequired, agent, node, tool } }: Request): PendingInput {
  const ends = dueAt === undefined ? {} : { expiresAt: timestampFromMs(dueAt) };
  return { agent, tool, schemaJson, node, type: inputTypeToWire(type), optional: !isRequired, ...ends };
}
