/** An agent that asks, people who decide, and processes that answer. */
import type { HumanDecision, RemoteQuestion } from '@stopgo/core';
import { approvals } from '@stopgo/proto';
import { Secret } from '@stopgo/rpc';
import { expect } from 'vitest';
import { done, Errand, peer, type Script } from './errands.ts';

const { DecisionKind } = approvals;

export const node = { type: 'a2a', name: 'peer', agent: peer, prompt: '', approval: 'default' } as const;
export const task = { id: 'task-1', state: 'input-required' };
export const shown: RemoteQuestion = {
  key: 'q1',
  kind: 'approval',
  prompt: 'May I pay?',
  approval: { id: 'q1', tool: 'pay', server: 'bank', argumentsJson: '{"sum":5}', choices: [], agents: ['till'] },
};
export const inWords: RemoteQuestion = { key: 'w1', kind: 'approval', prompt: 'Really?' };
export const token: RemoteQuestion = { key: 'auth 1', kind: 'auth', prompt: 'Who are you?' };
export const asks = (...questions: readonly RemoteQuestion[]) =>
  ({ kind: 'asks', task, text: '', questions, isIdempotent: false }) as const;
export const finished = { kind: 'outcome', outcome: done('Paid.') } as const;
/** More than any agent is given to answer. */
export const longMs = 10 * 60_000;

/** An agent that asks at once, and what comes after. */
export async function asked(first: RemoteQuestion, script: Script, bearerTokenPresent = false): Promise<Errand> {
  const errand = new Errand(node, { delegate: [asks(first)], ...script }, [], bearerTokenPresent);
  await errand.first(bearerTokenPresent ? { bearer: new Secret('s3cret') } : {}).ended;
  expect(errand.names.at(-1)).toBe('runReleased');
  return errand;
}

export function decide(errand: Errand, decision: HumanDecision = { kind: DecisionKind.APPROVE }): void {
  errand.append(errand.decision(decision));
}

export const second = (errand: Errand, bearer?: Secret) =>
  errand.process('second', bearer === undefined ? {} : { bearer });
