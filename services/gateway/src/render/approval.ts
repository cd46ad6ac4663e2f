import { approvalKindWord, decisionKind } from '@stopgo/core';
import { facts, type views } from '@stopgo/proto';
import type { Answer } from '../json-text.ts';
import { callArguments } from './arguments.ts';
import { rfc3339 } from './time.ts';
import { approvalStatusWord } from './words.ts';

/** An approval as clients see it; of a settled one also what was decided, by whom and when. */
export function renderApproval(approval: views.Approval): Answer {
  return {
    uuid: approval.id,
    conversation_id: approval.conversationId,
    run_id: approval.runId,
    kind: approvalKindWord(approval.kind),
    tool_name: approval.tool,
    server: approval.server,
    node: presentText(approval.node),
    tool_args: callArguments(approval.argumentsJson) ?? {},
    description: approval.description,
    choices: approval.choices,
    reason: presentText(approval.reason),
    status: approvalStatusWord(approval.status),
    remote_task_id: presentText(approval.remoteTaskId),
    remote_agent_name: presentText(approval.remoteAgentName),
    agents: approval.agents.length === 0 ? undefined : approval.agents,
    created_at: rfc3339(approval.requestedAt),
    expires_at: rfc3339(approval.expiresAt),
    ...decisionOf(approval),
  };
}

function decisionOf(approval: views.Approval): { readonly [key: string]: Answer | undefined } {
  if (approval.decision === facts.Decision.UNSPECIFIED) return {};
  return {
    decision: decisionKind(approval.decision),
    decided_by: presentText(approval.decidedBy),
    decided_surface: presentText(approval.decidedSurface),
    decided_address: presentText(approval.decidedAddress),
    decided_at: rfc3339(approval.decidedAt),
    by_policy: approval.byPolicy || undefined,
    void: approval.void || undefined,
    decision_reason: presentText(approval.decisionReason),
  };
}

const presentText = (text: string): string | undefined => (text === '' ? undefined : text);
