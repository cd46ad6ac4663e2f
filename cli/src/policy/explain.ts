import {
  conversationStream,
  decidedWord,
  type FactOf,
  nobodyDecided,
  policyFromDefinition,
  policyStream,
  type RecordedFact,
} from '@stopgo/core';
import { facts } from '@stopgo/proto';
import type { OpenedStore } from '../inspect/open-store.ts';
import { readEvents } from '../inspect/read-events.ts';
import { oneLine } from '../shown.ts';
import { ruleWords } from './words.ts';

/** What the record holds of an approval. */
type Told = {
  readonly asked: FactOf<'approvalRequested'>;
  readonly call?: facts.Call;
  /** The call as it was before somebody changed its arguments. */
  readonly before?: facts.Call;
  readonly votes: readonly (RecordedFact & { readonly value: FactOf<'approvalVoted'> })[];
  readonly decided?: RecordedFact & { readonly value: FactOf<'approvalResolved'> };
};

/** `stopgo policy explain`: which rule asked for an approval, or gave it, and why, from the record alone. */
export async function explainApproval(
  opened: OpenedStore,
  approvalId: string,
  print: (line: string) => void,
): Promise<void> {
  const { approval } = await opened.client.getApproval({ approvalId });
  if (approval === undefined) throw new Error(`there is no approval ${approvalId} in this log`);
  const told = await toldOf(opened, approval.conversationId, approvalId);
  const say = (line: string): void => print(oneLine(line));
  const { asked, call, before, votes, decided } = told;
  say(`approval ${approvalId} of ${asked.tool}${asked.server === '' ? '' : ` of ${asked.server}`}`);
  if (call !== undefined) say(`arguments: ${call.argumentsJson}`);
  if (asked.edit !== undefined)
    say(`changed by ${asked.edit.voter?.name ?? ''}${before === undefined ? '' : `, from ${before.argumentsJson}`}`);
  say(`asked because: ${asked.reason}`);
  const rule = asked.rule || decided?.value.rule || '';
  if (asked.policyDigest === '') say('by the defaults: the run has no policy');
  else if (rule === '') say(`by the defaults: no rule of policy ${asked.policyDigest} matches`);
  else await sayRule(opened, asked.policyDigest, rule, say);
  for (const { value, time } of votes)
    say(`${decidedWord(value.decision)} by ${value.voter?.name ?? ''}, ${new Date(time).toISOString()}`);
  if (decided === undefined) {
    if (votes.length > 0) return;
    say('nobody has decided yet');
    return;
  }
  const { decision, byPolicy, standingId, reason } = decided.value;
  if (decision === facts.Decision.EXPIRED) {
    say(`it expired, ${nobodyDecided}, ${new Date(decided.time).toISOString()}`);
    return;
  }
  const by = byPolicy
    ? standingId === ''
      ? 'by policy'
      : `by the standing approval ${standingId}`
    : `by ${decided.actor.id}`;
  const why = reason === '' ? '' : `: ${reason}`;
  say(`${decidedWord(decision)} ${by}, ${new Date(decided.time).toISOString()}${why}`);
}

async function toldOf(opened: OpenedStore, conversationId: string, approvalId: string): Promise<Told> {
  let told: Told | undefined;
  const calls = new Map<string, facts.Call>();
  const changedFrom = new Map<string, facts.Call>();
  for await (const { event } of readEvents(opened.client, conversationStream(conversationId))) {
    const { fact } = event;
    if (fact.case === 'modelResponded') for (const call of fact.value.calls) calls.set(call.callId, call);
    if (fact.case === 'delegationRequested' && fact.value.call !== undefined)
      calls.set(fact.value.call.callId, fact.value.call);
    if (fact.case === 'callEdited' && fact.value.call !== undefined) {
      const { callId, call } = fact.value;
      const before = calls.get(callId);
      if (before !== undefined) changedFrom.set(callId, before);
      calls.set(callId, call);
    }
    if (fact.case === 'approvalRequested' && fact.value.approvalId === approvalId) {
      const [call, before] = [calls.get(fact.value.callId), changedFrom.get(fact.value.callId)];
      told = { asked: fact.value, votes: [], ...(call && { call }), ...(before && { before }) };
    }
    if (fact.case === 'approvalVoted' && fact.value.approvalId === approvalId && told !== undefined)
      told = { ...told, votes: [...told.votes, { ...event, value: fact.value }] };
    if (fact.case === 'approvalResolved' && fact.value.approvalId === approvalId && told !== undefined)
      told = { ...told, decided: { ...event, value: fact.value } };
  }
  if (told === undefined) throw new Error(`the log does not show the request of approval ${approvalId}`);
  return told;
}

async function sayRule(opened: OpenedStore, digest: string, name: string, say: (line: string) => void): Promise<void> {
  for await (const { event } of readEvents(opened.client, policyStream(digest))) {
    if (event.fact.case !== 'policyDefined') continue;
    const { rules } = policyFromDefinition(event.fact.value.definitionJson);
    const index = rules.findIndex((one) => one.name === name);
    const rule = rules[index];
    if (rule === undefined) continue;
    say(`by rule "${name}", number ${index + 1} of ${rules.length} of policy ${digest}:`);
    for (const line of ruleWords(rule)) say(`  ${line}`);
    return;
  }
  say(`by rule "${name}" of policy ${digest}, which the log does not show`);
}
