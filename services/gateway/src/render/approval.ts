import {
  approvalKindWord,
  decidedByOf,
  decidedWord,
  isDescriptionCut,
  nobodyDecided,
  overdueFrom,
  visibleText,
} from '@stopgo/core';
import { facts, views } from '@stopgo/proto';
import type { Answer } from '../json-text.ts';
import { callArguments } from './arguments.ts';
import { presentLine, shownLine } from './shown.ts';
import { rfc3339 } from './time.ts';
import { renderSource } from './usage.ts';
import { approvalStatusWord } from './words.ts';

/**
 * An approval as clients see it; of a settled one also what was decided, by whom and when. What is for people to read is made visible
 * (decision 0041); the arguments are exact. `now`: milliseconds since 1970; without it nothing is said of what is overdue.
 */
export function renderApproval(approval: views.Approval, now?: number): Answer {
  return {
    uuid: approval.id,
    conversation_id: approval.conversationId,
    run_id: approval.runId,
    kind: approvalKindWord(approval.kind),
    tool_name: shownLine(approval.tool),
    server: shownLine(approval.server),
    node: presentLine(approval.node),
    agent_path: approval.agentPath.length === 0 ? undefined : approval.agentPath.map(shownLine),
    agent_source: approval.agentSource && renderSource(approval.agentSource),
    tool_args: callArguments(approval.argumentsJson) ?? {},
    description: visibleText(approval.description),
    description_cut: isDescriptionCut(approval.description) || undefined,
    choices: approval.choices,
    reason: presentLine(approval.reason),
    status: approvalStatusWord(approval.status),
    remote_task_id: presentText(approval.remoteTaskId),
    remote_agent_name: presentLine(approval.remoteAgentName),
    agents: approval.agents.length === 0 ? undefined : approval.agents.map(shownLine),
    created_at: rfc3339(approval.requestedAt),
    expires_at: rfc3339(approval.expiresAt),
    overdue: (now !== undefined && isOverdue(approval, now)) || undefined,
    assignee: assigneeOf(approval),
    ...editOf(approval),
    ...demandOf(approval),
    ...decisionOf(approval),
  };
}

/** Whether it waits longer than it should; what is rejected at its end is never overdue. */
const isOverdue = (approval: views.Approval, now: number): boolean =>
  approval.status === views.ApprovalStatus.PENDING && (overdueFrom(approval) ?? Number.POSITIVE_INFINITY) <= now;

/** Who is to look at it, and who said so. */
function assigneeOf({ assignment }: views.Approval): Answer | undefined {
  if (assignment === undefined) return undefined;
  const { assignee, by, bySignedIn, at } = assignment;
  return {
    name: shownLine(assignee?.name ?? ''),
    claimed: assignee?.claimed ?? false,
    assigned_by: { name: shownLine(by), claimed: !bySignedIn },
    assigned_at: rfc3339(at),
  };
}

/** Who changed the arguments, and what they were; of the approval before: which one stands for the changed call. */
function editOf({ edit, argumentsBeforeJson, replacedBy }: views.Approval): {
  readonly [key: string]: Answer | undefined;
} {
  return {
    edited: edit && {
      by: shownLine(edit.voter?.name ?? ''),
      claimed: edit.voter?.claimed ?? false,
      said: edit.said === '' ? undefined : visibleText(edit.said),
      replaces: edit.replaces,
      tool_args_before: callArguments(argumentsBeforeJson) ?? {},
    },
    replaced_by: presentText(replacedBy),
  };
}

/** Who may decide, who has, and what happens when nobody does; nothing where nobody in particular is asked. */
function demandOf({ demand, votes, escalations, reminders }: views.Approval): {
  readonly [key: string]: Answer | undefined;
} {
  if (demand === undefined) return {};
  const { approvers, onExpiry } = demand;
  return {
    approvers: approvers.length === 0 ? undefined : approvers.map(approverOf),
    votes_needed: Math.max(1, demand.votes),
    votes: votes.map(({ decision, voter, resultDigest, at }) => ({
      decision: decidedWord(decision),
      by: shownLine(voter?.name ?? ''),
      claimed: voter?.claimed ?? false,
      entitled_by: presentLine(voter?.entitledBy ?? ''),
      result_sha256: resultDigest || undefined,
      at: rfc3339(at),
    })),
    separation_of_duties: demand.notRequester || undefined,
    on_expiry: onExpiry === facts.OnExpiry.UNSPECIFIED ? undefined : onExpiryWords[onExpiry],
    remind_at: demand.remindAt.length === 0 ? undefined : demand.remindAt.map((at) => rfc3339(at) ?? ''),
    escalations:
      demand.escalations.length === 0
        ? undefined
        : demand.escalations.map(({ at, approvers: to }) => ({ at: rfc3339(at), to: to.map(approverOf) })),
    reminded: reminders || undefined,
    escalated: escalations || undefined,
  };
}

const onExpiryWords: Readonly<Record<number, string>> = {
  [facts.OnExpiry.REJECT]: 'reject',
  [facts.OnExpiry.LEAVE]: 'leave',
};

/** As the configuration writes it: `group:finance`, `role:ADMIN`, `ana@example.com`. */
const approverOf = ({ who }: facts.Approver): string =>
  shownLine(who.case === undefined || who.case === 'user' ? (who.value ?? '') : `${who.case}:${who.value}`);

function decisionOf(approval: views.Approval): { readonly [key: string]: Answer | undefined } {
  if (approval.decision === facts.Decision.UNSPECIFIED) return {};
  // The instance that noted it has decided nothing, and said nothing.
  if (approval.decision === facts.Decision.EXPIRED)
    return {
      decision: decidedWord(approval.decision),
      decided_at: rfc3339(approval.decidedAt),
      decision_reason: `it expired: ${nobodyDecided}`,
    };
  return {
    decision: decidedWord(approval.decision),
    decided_by: presentText(approval.decidedBy),
    decided_by_identity: shownIdentity(approval),
    decided_surface: presentText(approval.decidedSurface),
    decided_address: presentText(approval.decidedAddress),
    decided_at: rfc3339(approval.decidedAt),
    by_policy: approval.byPolicy || undefined,
    void: approval.void || undefined,
    decision_reason: presentLine(approval.decisionReason),
    said: approval.decidedSaid === '' ? undefined : visibleText(approval.decidedSaid),
  };
}

function shownIdentity(approval: views.Approval): Answer | undefined {
  const by = decidedByOf(approval);
  return by === undefined ? undefined : { name: shownLine(by.name), claimed: by.claimed };
}

const presentText = (text: string): string | undefined => (text === '' ? undefined : text);
