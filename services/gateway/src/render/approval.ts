import { approvalKindWord, decidedByOf, decidedWord, isDescriptionCut, visibleText } from '@stopgo/core';
import { facts, type views } from '@stopgo/proto';
import type { Answer } from '../json-text.ts';
import { callArguments } from './arguments.ts';
import { presentLine, shownLine } from './shown.ts';
import { rfc3339 } from './time.ts';
import { approvalStatusWord } from './words.ts';

/**
 * An approval as clients see it; of a settled one also what was decided, by whom and when. What is for people to read is made visible
 * (decision 0041); the arguments are exact.
 */
export function renderApproval(approval: views.Approval): Answer {
  return {
    uuid: approval.id,
    conversation_id: approval.conversationId,
    run_id: approval.runId,
    kind: approvalKindWord(approval.kind),
    tool_name: shownLine(approval.tool),
    server: shownLine(approval.server),
    node: presentLine(approval.node),
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
    ...decisionOf(approval),
  };
}

function decisionOf(approval: views.Approval): { readonly [key: string]: Answer | undefined } {
  if (approval.decision === facts.Decision.UNSPECIFIED) return {};
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
  };
}

function shownIdentity(approval: views.Approval): Answer | undefined {
  const by = decidedByOf(approval);
  return by === undefined ? undefined : { name: shownLine(by.name), claimed: by.claimed };
}

const presentText = (text: string): string | undefined => (text === '' ? undefined : text);
