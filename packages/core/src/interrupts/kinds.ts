import { facts } from '@stopgo/proto';
import type { FactOf } from '../events/facts.ts';
import type { Interrupt } from '../state/interrupt.ts';
import type { RunState } from '../state/state.ts';
import { approvalKind, recordedApproval } from './kinds/approval.ts';
import { authKind, recordedAuth } from './kinds/auth.ts';
import type { AskedBeside, InterruptKind, WaitKind } from './kinds/kind.ts';
import { recordedRequest, requestKind } from './kinds/of-agent.ts';
import { inputKind, recordedQuestion, samplingKind } from './kinds/of-server.ts';

/** All kinds of interrupts. A new one does not compile until it is here. */
const interruptKinds: { readonly [K in Interrupt['kind']]: InterruptKind<Extract<Interrupt, { kind: K }>> } = {
  approval: approvalKind,
  input: inputKind,
  request: requestKind,
  auth: authKind,
  sampling: samplingKind,
};

/** What differs between kinds of interrupts, of this one. */
export function interruptKindOf(interrupt: Interrupt): InterruptKind<Interrupt> {
  return interruptKinds[interrupt.kind] as InterruptKind<Interrupt>;
}

/**
 * The interrupts that take answers, with what people are shown to wait for, oldest first; undefined where no person is asked. None of a
 * run that has ended: what was not answered by then never is.
 */
export function openInterrupts({
  status,
  interrupts,
}: RunState): { readonly interrupt: Interrupt; readonly shownAs?: WaitKind }[] {
  if (status !== 'open') return [];
  const open = Object.values(interrupts).filter((one) => interruptKindOf(one).isOpen(one));
  return open.map((interrupt) => {
    const shownAs = interruptKindOf(interrupt).shownAs(interrupt);
    return { interrupt, ...(shownAs && { shownAs }) };
  });
}

/** An approval is requested. */
export function evolveApprovalAsked(run: RunState, asked: FactOf<'approvalRequested'>, time: number): RunState {
  const { key: question = '', approvalId: remoteApprovalId = '' } = asked.question ?? {};
  return withInterrupt(run, recordedApproval(asked, time), { digest: asked.digest, question, remoteApprovalId });
}

/** A token is asked for, or a tool server asks people or a model. */
export function evolveInputAsked(run: RunState, asked: FactOf<'inputRequested'>, time: number): RunState {
  const interrupt = recordedInputs[asked.kind]?.(asked, time);
  if (interrupt === undefined) return run;
  return withInterrupt(run, interrupt, { digest: '', question: asked.question, remoteApprovalId: '' });
}

/** By what the fact asks for. Of what nobody could be told the answer, and of what this program does not know, nobody is asked. */
const recordedInputs: Readonly<
  Record<facts.InputKind, (asked: FactOf<'inputRequested'>, time: number) => Interrupt | undefined>
> = {
  [facts.InputKind.UNSPECIFIED]: () => undefined,
  [facts.InputKind.INPUT]: recordedQuestion,
  [facts.InputKind.AUTH]: recordedAuth,
  [facts.InputKind.SAMPLING]: recordedQuestion,
  [facts.InputKind.REQUEST]: recordedRequest,
};

function withInterrupt(before: RunState, interrupt: Interrupt, beside: AskedBeside): RunState {
  const call = before.calls[interrupt.callId];
  // Of what nobody can be told the answer, nobody is asked.
  if (call === undefined && ('server' in interrupt || interrupt.kind === 'request')) return before;
  const run = { ...before, interrupts: { ...before.interrupts, [interrupt.id]: interrupt } };
  return call === undefined ? run : interruptKindOf(interrupt).asked(run, call, interrupt, beside);
}
