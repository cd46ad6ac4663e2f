import type { A2aNode, LlmNode } from '../agent/definition.ts';
import type { Output } from '../state/state.ts';

/** Something that the outside world is asked to do. */
export type Effect =
  /** Ask the model of an llm node. Safe to repeat until its answer is recorded. */
  | {
      readonly kind: 'model';
      readonly id: string;
      readonly stepId: string;
      readonly turn: number;
      readonly node: LlmNode;
      /** What the placeholders of its prompt stand for. */
      readonly bindings: Readonly<Record<string, Output>>;
    }
  /** Put the message of an a2a node on the record. Safe to repeat until it is there. */
  | {
      readonly kind: 'delegation';
      readonly id: string;
      readonly stepId: string;
      readonly node: A2aNode;
      /** What the placeholders of its prompt stand for. */
      readonly bindings: Readonly<Record<string, Output>>;
    }
  /**
   * Make a call of a tool, or a delegation. A fenced one needs `ToolCallStarted` or `DelegationStarted` on the record
   * first, by the process that makes it.
   */
  | { readonly kind: 'call'; readonly id: string; readonly attempt: number; readonly fenced: boolean }
  /** Have an agent of this platform work on a call: `agentCalled` is put on the record. Safe to repeat until it is there. */
  | { readonly kind: 'agent'; readonly id: string }
  /** Save to an agent's memory, or load from it. Safe to repeat until its result is recorded. */
  | { readonly kind: 'memory'; readonly id: string }
  /** Use what the agents of the run share. Safe to repeat until its result is recorded. */
  | { readonly kind: 'data'; readonly id: string }
  /** Find out what became of an attempt that is on the record; of a delegation, answer what its agent asked, too. */
  | { readonly kind: 'recover'; readonly id: string; readonly attempt: number; readonly bridge: string };
