import type { MessageInitShape } from '@bufbuild/protobuf';
import { type ConversationState, ticketOf } from '@stopgo/core';
import { store } from '@stopgo/proto';
import type { Views } from './views.ts';

const states = {
  closed: store.TicketState.CLOSED,
  ready: store.TicketState.READY,
  started: store.TicketState.STARTED,
} as const;

/** What the rows show of a call: how it stands in its run, and the approval that stands for it. */
export function ticketAnswer(
  state: ConversationState,
  approvalOf: Views['approval'],
  { runId, callId }: Pick<store.ReadTicketRequest, 'runId' | 'callId'>,
): MessageInitShape<typeof store.ReadTicketResponseSchema> {
  const ticket = ticketOf(state, runId, callId);
  if (ticket === undefined) return {};
  const { server, tool, pin, digest, attempt, bridge = '', approvalId, state: stands } = ticket;
  const row = approvalId === undefined ? undefined : approvalOf(approvalId);
  // Approvals are named by their ids alone: one of another call stands for nothing here.
  const approval = row?.runId === runId && row.callId === callId ? row : undefined;
  return {
    ticket: {
      ...{ server, tool, pin, digest, attempt, bridgeInstance: bridge, state: states[stands] },
      ...(approval === undefined
        ? {}
        : {
            approval: {
              id: approval.id,
              digest: approval.digest,
              decision: approval.decision,
              byPolicy: approval.byPolicy,
              void: approval.void,
            },
          }),
    },
  };
}
