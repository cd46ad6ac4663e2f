import { facts } from '@stopgo/proto';
import { countedAs, nobody } from '../policy/judge-policy.ts';
import type { ConversationState, RunState } from '../state/state.ts';
import type { JudgedIn } from './verdict.ts';

/** Calls of one answer that were judged before another one, as far as rules count them. */
export type JudgedBefore = {
  readonly server: string;
  readonly tool: string;
  readonly platformAgent: string;
  readonly disposition: facts.Disposition;
};

/** What a call of the step is judged by beside itself; `turn`: of the answer that asks for it, which asked for these before it. */
export function judgedIn(
  { standing = [] }: Pick<ConversationState, 'standing'>,
  { policyDigest, caller = nobody, soFar = { calls: {}, approvals: 0 }, agentCalls = 0, calls }: RunState,
  turn: number,
  before: readonly JudgedBefore[] = [],
): JudgedIn {
  const asked = before.filter(isAgentCall).length;
  const open = Object.values(calls).filter(({ target, phase }) => target?.kind === 'agent' && phase !== 'done').length;
  const agents = { agentCallsBefore: agentCalls + asked, agentsUnderWay: open + asked };
  if (policyDigest === undefined) return { standing, ...agents };
  return {
    standing,
    ...agents,
    context: { caller, run: { ...soFar, turn, calls: withCalls(soFar.calls, before) } },
  };
}

/** True for a call of an agent of this platform that was not refused. */
export function isAgentCall({ platformAgent }: Pick<JudgedBefore, 'platformAgent'>): boolean {
  return platformAgent !== '';
}

/** Counts, with some more calls. One that was refused was not made, and what the platform answers itself is no call of a tool. */
export function withCalls(
  counts: Readonly<Record<string, number>>,
  more: readonly JudgedBefore[],
): Readonly<Record<string, number>> {
  const next: Record<string, number> = { ...counts };
  for (const call of more) {
    const { REFUSED, CONTROL } = facts.Disposition;
    if (call.disposition === REFUSED || call.disposition === CONTROL) continue;
    const name = countedAs(call);
    next[name] = (next[name] ?? 0) + 1;
  }
  return next;
}
