/** A bearer token, for a call or for another agent that wants one. It comes with a message, and is not on the record. */
import type { FactOf } from '../../events/facts.ts';
import type { Auth } from '../../state/interrupt.ts';
import { withCall } from '../../state/run-changes.ts';
import type { RunState } from '../../state/state.ts';
import { withAnswer } from '../answered.ts';
import { withQuestion } from '../evolve-questions.ts';
import type { InterruptKind } from './kind.ts';

/** The token that a fact asks for. */
export function recordedAuth({ inputId: id, callId, prompt }: FactOf<'inputRequested'>, requestedAt: number): Auth {
  return { kind: 'auth', id, callId, requestedAt, prompt };
}

/** The token is there: the call may run, or the agent be answered. */
export function evolveToken(run: RunState, token: Auth, revision: number): RunState {
  const { [token.id]: _, ...interrupts } = run.interrupts;
  const isAgents = run.calls[token.callId]?.phase === 'asking';
  const answered = isAgents ? ({ kind: 'passed_on', verdict: 'token' } as const) : ({ kind: 'ready' } as const);
  return withAnswer({ ...run, interrupts }, token, answered, revision);
}

export const authKind: InterruptKind<Auth> = {
  shownAs: () => 'auth',
  isOpen: () => true,
  asked: (run, call, { id: askedAs }, { question: key }) => {
    if (call.phase === 'asking' && key !== '')
      return withQuestion(run, call, { key, digest: '', askedAs, remoteApprovalId: '' });
    const phase = call.phase === 'asking' ? 'asking' : 'blocked';
    return withCall(run, call.id, { phase, asked: call.asked + 1 });
  },
};
