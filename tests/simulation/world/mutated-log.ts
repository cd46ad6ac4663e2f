import { type Fact, type FactOf, fact as makeFact, memoryStreamPrefix, type RecordedFact } from '@stopgo/core';
import type { Append, AppendOutcome, ConversationLog } from '@stopgo/log';
import { facts as wire } from '@stopgo/proto';
import type { World } from './world.ts';

/** The log's client with one of its rules broken, where a mutant asks for it. */
export function mutatedLog(world: World, log: ConversationLog): ConversationLog {
  if (world.hasMutation('acts-on-anothers-start')) return { ...log, append: (append) => claimingOthers(log, append) };
  if (world.hasMutation('reader-turns-a-no-into-a-yes')) return turned(log);
  if (world.hasMutation('acknowledges-before-the-log'))
    return { ...log, append: (append) => unheard(world, log, append) };
  if (world.hasMutation('memory-takes-a-repeat-for-new')) return forgetful(world, log);
  return log;
}

/** Knows no call again that saves something. */
function forgetful(world: World, log: ConversationLog): ConversationLog {
  return {
    ...log,
    append: (append) => {
      const isMemory = append.stream.startsWith(memoryStreamPrefix);
      return log.append(isMemory ? { ...append, key: `${append.key} ${world.ids.uuid()}` } : append);
    },
    read: async function* (...request) {
      for await (const event of log.read(...request)) {
        const { fact } = event;
        if (fact.case !== 'memorySaved') yield event;
        else yield { ...event, fact: fact.value.call === undefined ? fact : saved(fact.value) };
      }
    },
  };
}

function saved({ agent, key, valueJson }: FactOf<'memorySaved'>): Fact {
  return makeFact('memorySaved', { agent, key, valueJson });
}

/** Takes another process's start of a call for its own. */
async function claimingOthers(log: ConversationLog, append: Append): Promise<AppendOutcome> {
  const outcome = await log.append(append);
  if (outcome.kind !== 'conflict') return outcome;
  const started = append.facts.find((one) => one.case === 'toolCallStarted');
  const isStarted = outcome.unseen.some(
    ({ fact }) =>
      fact.case === 'toolCallStarted' &&
      started?.case === 'toolCallStarted' &&
      fact.value.callId === started.value.callId,
  );
  if (!isStarted) return outcome;
  return { kind: 'appended', revision: append.expectedRevision + append.facts.length };
}

/** Reads every rejection as an approval. */
function turned(log: ConversationLog): ConversationLog {
  const turn = (event: RecordedFact): RecordedFact =>
    event.fact.case === 'approvalResolved' && event.fact.value.decision === wire.Decision.REJECTED
      ? { ...event, fact: { ...event.fact, value: { ...event.fact.value, decision: wire.Decision.APPROVED } } }
      : event;
  return {
    ...log,
    append: async (append) => {
      const outcome = await log.append(append);
      return outcome.kind === 'conflict' ? { ...outcome, unseen: outcome.unseen.map(turn) } : outcome;
    },
    read: async function* (...request) {
      for await (const event of log.read(...request)) yield turn(event);
    },
  };
}

/** Says that a decision was appended without waiting for the log's word. */
function unheard(world: World, log: ConversationLog, append: Append): Promise<AppendOutcome> {
  const isDecision = append.actor.kind === 'approver';
  if (!isDecision || world.random.chance(0.5)) return log.append(append);
  return Promise.resolve({ kind: 'appended', revision: append.expectedRevision + append.facts.length });
}
