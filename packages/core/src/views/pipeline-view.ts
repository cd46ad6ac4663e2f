import { create, views } from '@stopgo/proto';
import { ownStep, pathOfStep } from '../agent/step-id.ts';
import type { Output, RunState } from '../state/state.ts';
import { pendingApprovals } from '../state/work.ts';
import { pipelineStateBytesMax, pipelineTextBytesMax } from '../text/bounds.ts';
import { cutBytesMin, cutText } from '../text/cut.ts';

/** Where a tree of nodes waits for approvals; undefined if it does not, and for an agent that is one llm node. */
export function pipelineView(
  run: RunState,
  messageAt: (revision: number) => string,
  textOf: (output: Output) => string,
): views.Pipeline | undefined {
  const pending = run.pipeline === true ? pendingApprovals(run) : [];
  if (pending.length === 0) return undefined;
  const keys = Object.keys(run.sessionState).sort();
  const share = Math.max(cutBytesMin, Math.min(pipelineTextBytesMax, Math.floor(pipelineStateBytesMax / keys.length)));
  return create(views.PipelineSchema, {
    paused: pausedNodes(run, pending),
    sessionState: keys.map((key) => ({ key, text: cutText(textOf(run.sessionState[key] ?? []), share).text })),
    userMessage: cutText(messageAt(run.messageRevision), pipelineTextBytesMax).text,
  });
}

/** A node may wait for several approvals; the node that waits longest comes first. */
function pausedNodes(run: RunState, pending: readonly string[]) {
  const byStep = new Map<string, string[]>();
  for (const id of pending) {
    const stepId = run.calls[run.interrupts[id]?.callId ?? '']?.stepId ?? '';
    byStep.set(stepId, [...(byStep.get(stepId) ?? []), id]);
  }
  return [...byStep].map(([stepId, approvalIds]) => {
    const { node = '', outputKey = '' } = run.steps[stepId] ?? {};
    return { path: pathOfStep(ownStep(stepId)), node, outputKey, stepId, approvalIds };
  });
}
