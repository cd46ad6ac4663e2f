import { isDeepStrictEqual } from 'node:util';
import { nodeAt, outputFromWire, outputText, type RecordedFact, resolvePrompt } from '@stopgo/core';
import { agentIn, type RunRecord, runsOf } from '../../promises/tree-rules.ts';
import { type Stream, short } from './event-store.ts';
import type { World } from './world.ts';

/** Every run of a conversation, with the tree that it runs. */
export function runsIn(world: World, stream: Stream): RunRecord[] {
  return runsOf(short(stream.name), stream.facts, (digest) =>
    agentIn(world.store.stream(`agent-${digest}`)?.facts ?? []),
  );
}

/** Rule l: whoever looks at the conversation is shown exactly the approvals that are pending, and the nodes that wait for them. */
export function checkVisible(world: World, stream: Stream): void {
  const pending = pendingIn(stream.facts);
  const shown = stream.head?.pendingApprovalIds ?? [];
  const nodes = (stream.head?.pipeline?.paused ?? []).flatMap((node) => node.approvalIds);
  const where = `${short(stream.name)} at ${stream.facts.length}`;
  if (!isDeepStrictEqual(shown, pending))
    world.violation('l', `${where}: shown as pending are ${shown.join()}, pending are ${pending.join()}`);
  const run = stream.states.at(-1)?.run;
  if (run?.pipeline === true && !isDeepStrictEqual(nodes.toSorted(), pending.toSorted()))
    world.violation('l', `${where}: nodes wait for ${nodes.join()}, pending are ${pending.join()}`);
  if (pending.length > 1) world.count('approvals pending together');
}

/** Ids of the approvals of the last run that nobody has decided, oldest first. */
function pendingIn(facts: readonly RecordedFact[]): string[] {
  const pending = new Set<string>();
  for (const { fact } of facts) {
    if (fact.case === 'approvalRequested') pending.add(fact.value.approvalId);
    if (fact.case === 'approvalResolved') pending.delete(fact.value.approvalId);
    if (fact.case === 'runCompleted' || fact.case === 'runFailed' || fact.case === 'runCanceled') pending.clear();
  }
  return [...pending];
}

/** Rule j: the prompt that a model is given is that of its node, with what its step began with. */
export function checkPrompt(world: World, run: RunRecord | undefined, stepId: string, system: string): void {
  const node = run === undefined ? undefined : nodeAt(run.agent, stepId)?.node;
  const started = run?.facts.find(({ fact }) => fact.case === 'stepStarted' && fact.value.stepId === stepId)?.fact;
  // What an agent from git is told is put together elsewhere.
  if (run?.agent.platform !== undefined) return;
  if (run === undefined || node?.type !== 'llm' || started?.case !== 'stepStarted') return;
  const bound = Object.fromEntries(started.value.bindings.map(({ key, value }) => [key, outputFromWire(value)]));
  const wanted = resolvePrompt(node.prompt, bound, (output) => outputText(output, (at) => textAt(run.facts, at)));
  if (system !== wanted) world.violation('j', `${run.where}: ${stepId} is told "${system}", not "${wanted}"`);
}

function textAt(facts: readonly RecordedFact[], revision: number): string {
  const fact = facts.find((one) => one.revision === revision)?.fact;
  if (fact?.case === 'modelResponded') return fact.value.text;
  if (fact?.case === 'toolCallFinished' || fact?.case === 'delegationFinished') return fact.value.content;
  return fact?.case === 'approvalResolved' ? fact.value.result : '';
}
