import type { Effect, RecordedFact, RunCommand, RunState } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { expect } from 'vitest';
import { tools } from '../story.ts';

const { Decision } = facts;

/** What the outside world saw of a run, and what must hold of it whatever the core believes. */
export class Journal {
  private readonly done = new Set<string>();
  private readonly executions = new Map<string, number>();
  /** Calls that nobody was asked about, and whose tool has become one that needs no approval. */
  private readonly harmless = new Set<string>();

  /** Looks at what is owed: no effect twice, nothing finished again, nothing gated without its approval in the log. */
  owed(effects: readonly Effect[], run: RunState, log: readonly RecordedFact[]): void {
    const ids = effects.map((effect) => effect.id);
    expect(new Set(ids).size, 'no two effects share an id').toBe(ids.length);
    for (const effect of effects) {
      expect(this.done.has(keyOf(effect)), `${keyOf(effect)} is settled and owed again`).toBe(false);
      if (effect.kind === 'call') {
        const { digest = '', gated } = run.calls[effect.id] ?? {};
        const needsNone = gated === false && this.harmless.has(effect.id);
        expect(needsNone || mayRun(effect.id, digest, log), `${effect.id} has its approval`).toBe(true);
        if (effect.fenced)
          expect(this.executions.get(effect.id) ?? 0, `${effect.id} runs at most once`).toBeLessThanOrEqual(
            repeatsAllowed(effect.id, log),
          );
      }
    }
  }

  /** Remembers what an effect came to. */
  settled(effect: Effect, command: RunCommand): void {
    if (command.type !== 'needToken') this.done.add(keyOf(effect));
    if (command.type === 'callPinChanged' && !command.current.hints.destructive) this.harmless.add(effect.id);
    if (command.type === 'callPinChanged' && command.current.hints.destructive) this.harmless.delete(effect.id);
    const ran = command.type === 'callFinished' || command.type === 'callUnknown';
    if (effect.kind === 'recover' && ran) this.executions.set(effect.id, (this.executions.get(effect.id) ?? 0) + 1);
  }
}

function keyOf(effect: Effect): string {
  return 'attempt' in effect ? `${effect.kind} ${effect.id} ${effect.attempt}` : effect.id;
}

/** True if the tool and the log say, without the help of policy or fold, that the call needs no approval or has one. */
function mayRun(callId: string, digest: string, log: readonly RecordedFact[]): boolean {
  const asked = new Map<string, string>();
  let needsOne = false;
  for (const { fact } of log) {
    for (const call of callsIn(fact))
      if (call.callId === callId)
        needsOne = call.tool === 'a2a_bank' || tools.get(call.tool)?.hints.destructive === true;
    if (fact.case === 'approvalRequested' && fact.value.callId === callId) {
      asked.set(fact.value.approvalId, fact.value.digest);
      needsOne = true;
    }
    if (fact.case === 'approvalResolved' && asked.get(fact.value.approvalId) === digest)
      if (fact.value.decision === Decision.APPROVED || fact.value.decision === Decision.RUN_AGAIN) return true;
  }
  return !needsOne;
}

function callsIn(fact: RecordedFact['fact']): readonly facts.Call[] {
  if (fact.case === 'modelResponded') return fact.value.calls;
  return fact.case === 'delegationRequested' && fact.value.call !== undefined ? [fact.value.call] : [];
}

function repeatsAllowed(callId: string, log: readonly RecordedFact[]): number {
  return log.filter(
    ({ fact }) =>
      fact.case === 'approvalResolved' && fact.value.callId === callId && fact.value.decision === Decision.RUN_AGAIN,
  ).length;
}
