/** What a delegation adds to a call: the message of a node, ids of its own at the other agent, and a task that goes on there. */
import { facts as wire } from '@stopgo/proto';
import type { Definitions } from '../agent/definitions.ts';
import { callId } from '../agent/step-id.ts';
import { failedDelegation } from '../calls/finished.ts';
import { judgeCall } from '../calls/judge.ts';
import { judgedIn } from '../calls/judged-in.ts';
import { callSiteOf } from '../calls/offers.ts';
import { callOfNode } from '../calls/remote-agent.ts';
import { type Fact, fact } from '../events/facts.ts';
import { approvalOf } from '../interrupts/requests.ts';
import type { ConversationState, RunState } from '../state/state.ts';
import { nodeOf } from '../state/work.ts';
import { taskTextBytesMax, taskUpdatesMax, taskWordBytesMax } from '../text/bounds.ts';
import { byteLength, cutText } from '../text/cut.ts';
import type { RunCommand } from './commands.ts';

/** The facts of a node's message: the call that it makes, judged, and its approval if it needs one. */
export function delegated(
  state: ConversationState,
  run: RunState,
  { stepId, message }: Extract<RunCommand, { type: 'delegate' }>,
  { definitions, now }: { readonly definitions: Definitions; readonly now: number },
): Fact[] {
  const step = run.steps[stepId];
  const site = callSiteOf(definitions, run, stepId);
  if (step?.finished !== undefined || step?.turn !== 0 || site?.node.type !== 'a2a') return [];
  const { call: judged, ...rest } = judgeCall(callOfNode(site.node, message), site, 0, judgedIn(state, run, 1));
  const isRefused = judged.disposition === wire.Disposition.REFUSED;
  // What cannot be sent is not kept either.
  const call = { callId: callId(stepId, 1, 0), ...judged, ...(isRefused ? { argumentsJson: '{}' } : {}) };
  const requested = fact('delegationRequested', { runId: run.id, stepId, call, node: nodeOf(run, stepId) });
  if (isRefused) return [requested, failedDelegation(run, stepId, call.error)];
  return [requested, ...approvalOf(run, stepId, { ...rest, call }, state.revision + 1, { policy: site.policy, now })];
}

/** The facts of what another agent tells of a task that goes on: none if it is on the record already. */
export function updated(run: RunState, update: Extract<RunCommand, { type: 'delegationUpdated' }>): Fact[] {
  const { callId, attempt, task, text } = update;
  const call = run.calls[callId];
  if (call?.phase !== 'started' || call.attempt !== attempt || call.sent === undefined) return [];
  if (call.sent.taskId === task.id && call.sent.taskState === task.state) return [];
  // An agent may go to and fro for ever. The state of a run keeps the words; no agent needs ids of that size.
  if (call.sent.updates >= taskUpdatesMax) return [];
  if (byteLength(task.id) > taskWordBytesMax || byteLength(task.state) > taskWordBytesMax) return [];
  const place = { runId: run.id, stepId: call.stepId, callId, attempt };
  return [fact('delegationUpdated', { ...place, task, text: cutText(text, taskTextBytesMax).text })];
}
