import type { Fact } from '../../events/facts.ts';
import type { Interrupt } from '../../state/interrupt.ts';
import type { CallState, RunState } from '../../state/state.ts';

/** What a fact that asks says beside the interrupt itself: of the call, and of the question of another agent that it stands for. */
export type AskedBeside = {
  /** What exactly is approved. */
  readonly digest: string;
  /** Key of the question of another agent; empty if it stands for none. */
  readonly question: string;
  readonly remoteApprovalId: string;
};

/** What is waited for, as pictures of a run say it. */
export type WaitKind = 'approval' | 'in_doubt' | 'input' | 'auth';

/** All that differs from one kind of interrupt to another, at one place: the others ask the table of kinds (`interruptKinds`). */
export type InterruptKind<I extends Interrupt> = {
  /** What people are shown to wait for; undefined where no person is asked. */
  readonly shownAs: (interrupt: I) => WaitKind | undefined;
  /** True while it takes answers. */
  readonly isOpen: (interrupt: I) => boolean;
  /** The run once this is asked of one of its calls. */
  readonly asked: (run: RunState, call: CallState, interrupt: I, beside: AskedBeside) => RunState;
  /** The facts of what is due of it by a time, in order; absent for what waits for ever. */
  readonly due?: (run: RunState, interrupt: I, now: number) => readonly Fact[];
};
