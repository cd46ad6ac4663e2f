import { timestampMs } from '@bufbuild/protobuf/wkt';
import { anonymousPrincipal, invalidArgument } from '@stopgo/core';
import { type store, views } from '@stopgo/proto';
import { askedWordsMax } from './bounds.ts';
import type { ApprovalFilter, ApprovalsCounted, AskedOf } from './views.ts';

/** Which approvals a request asks for. Throws `invalid_argument` for what cannot be asked together. */
export function approvalFilterOf(request: store.ListApprovalsRequest): ApprovalFilter {
  const { askedOf, requestedBefore, overdueAt, assignment } = request;
  const status = request.status === 0 ? undefined : request.status;
  const conversationId = request.conversationId || undefined;
  const askedInRun = request.askedInRun || undefined;
  if (askedInRun !== undefined && (conversationId === undefined || status !== undefined))
    throw invalidArgument('what was asked in a run is listed with its conversation, and for every status at once');
  if (overdueAt !== undefined && (status ?? views.ApprovalStatus.PENDING) !== views.ApprovalStatus.PENDING)
    throw invalidArgument('what waits longer than it should is waiting: name no status but pending');
  if (assignment.case !== undefined && (status ?? views.ApprovalStatus.PENDING) !== views.ApprovalStatus.PENDING)
    throw invalidArgument('what is assigned is waiting: name no status but pending');
  if (askedOf !== undefined) {
    if (conversationId !== undefined || (status !== undefined && status !== views.ApprovalStatus.PENDING))
      throw invalidArgument(
        'what somebody may decide is waiting, in whichever conversation: name no conversation, and no status but pending',
      );
  }
  return {
    // What is settled is never overdue, nor shown by whom it was assigned to, and is not looked at.
    status: overdueAt === undefined && assignment.case === undefined ? status : views.ApprovalStatus.PENDING,
    conversationId,
    askedInRun,
    principal: request.principal || undefined,
    askedOf: askedOf && askedOfOf(askedOf),
    narrow: {
      tool: request.tool || undefined,
      server: request.server || undefined,
      node: request.node || undefined,
      agent: request.agent || undefined,
      toolPattern: request.toolPattern || undefined,
      requestedBefore: requestedBefore && timestampMs(requestedBefore),
      overdueAt: overdueAt && timestampMs(overdueAt),
      assignee: assigneeIn(assignment),
    },
  };
}

function assigneeIn({ case: name, value }: store.ListApprovalsRequest['assignment']): string | undefined {
  return name === 'assignee' ? value : name === 'unassigned' ? '' : undefined;
}

/** What a request wants counted. Throws `invalid_argument` as the list does. */
export function approvalsCounted({ principal, askedOf, at, assignee }: store.CountApprovalsRequest): ApprovalsCounted {
  return {
    principal: principal === '' || principal === anonymousPrincipal ? undefined : principal,
    askedOf: askedOf && askedOfOf(askedOf),
    at: at && timestampMs(at),
    assignee: assignee || undefined,
  };
}

function askedOfOf({ words, principal, at, withoutVoted }: store.AskedOf): AskedOf {
  if (words.length > askedWordsMax)
    throw invalidArgument(`somebody is asked by ${askedWordsMax} words at most, not ${words.length}`);
  return { words, principal, at: at ? timestampMs(at) : 0, withoutVoted };
}
