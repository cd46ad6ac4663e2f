import { type AgentDefinition, nodeAt, type RecordedFact } from '@stopgo/core';
import { expect } from 'vitest';

/** Checks that no node began before its turn: its parent goes on, and what comes before it in order is finished. */
export function checkTurns(agent: AgentDefinition, log: readonly RecordedFact[]): void {
  const going = new Set<string>();
  const finished = new Set<string>();
  for (const { fact } of log) {
    if (fact.case === 'stepStarted') {
      const { stepId } = fact.value;
      for (const earlier of needed(agent, stepId))
        expect(finished, `${stepId} begins after ${earlier}`).toContain(earlier);
      const parent = stepId.replace(/(\[\d+\])?\/\d+$/, '');
      if (parent !== stepId) expect(going, `${stepId} begins while ${parent} goes on`).toContain(parent);
      expect(going.has(stepId) || finished.has(stepId), `${stepId} begins once`).toBe(false);
      going.add(stepId);
    }
    if (fact.case === 'stepFinished') {
      going.delete(fact.value.stepId);
      finished.add(fact.value.stepId);
    }
    if (fact.case === 'delegationRequested')
      expect(going, 'an agent is asked for a step that goes on').toContain(fact.value.stepId);
    if (fact.case === 'modelResponded')
      expect(going, 'a model is asked for a step that goes on').toContain(fact.value.stepId);
  }
}

/** The steps right before one: its elder brother, or in a loop the last of the iteration before. */
function needed(agent: AgentDefinition, stepId: string): string[] {
  const [, parent = '', iteration, index] = /^(.*?)(?:\[(\d+)\])?\/(\d+)$/.exec(stepId) ?? [];
  const node = parent === '' ? undefined : nodeAt(agent, parent)?.node;
  if (node === undefined || !('children' in node) || node.type === 'parallel') return [];
  const suffix = iteration === undefined ? '' : `[${iteration}]`;
  if (Number(index) > 0) return [`${parent}${suffix}/${Number(index) - 1}`];
  return Number(iteration) > 1 ? [`${parent}[${Number(iteration) - 1}]/${node.children.length - 1}`] : [];
}
