import { timestampMs } from '@bufbuild/protobuf/wkt';
import { invalidArgument } from '@stopgo/core';
import { type store, views } from '@stopgo/proto';
import { askedWordsMax } from './bounds.ts';
import type { ApprovalFilter } from './views.ts';

/** Which approvals a request asks for. Throws `invalid_argument` for what cannot be asked together. */
export function approvalFilterOf(request: store.ListApprovalsRequest): ApprovalFilter {
  const { askedOf, requestedBefore } = request;
  const status = request.status === 0 ? undefined : request.status;
  const conversationId = request.conversationId || undefined;
  const askedInRun = request.askedInRun || undefined;
  if (askedInRun !== undefined && (conversationId === undefined || status !== undefined))
    throw invalidArgument('what was asked in a run is listed with its conversation, and for every status at once');
  if (askedOf !== undefined) {
    if (conversationId !== undefined || (status !== undefined && status !== views.ApprovalStatus.PENDING))
      throw invalidArgument(
        'what somebody may decide is waiting, in whichever conversation: name no conversation, and no status but pending',
      );
    if (askedOf.words.length > askedWordsMax)
      throw invalidArgument(`somebody is asked by ${askedWordsMax} words at most, not ${askedOf.words.length}`);
  }
  return {
    status,
    conversationId,
    askedInRun,
    principal: request.principal || undefined,
    askedOf:
      askedOf &&
      ({ words: askedOf.words, principal: askedOf.principal, at: askedOf.at ? timestampMs(askedOf.at) : 0 } as const),
    narrow: {
      tool: request.tool || undefined,
      server: request.server || undefined,
      node: request.node || undefined,
      requestedBefore: requestedBefore && timestampMs(requestedBefore),
    },
  };
}
