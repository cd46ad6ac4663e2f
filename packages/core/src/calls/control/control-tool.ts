import type { LlmNode } from '../../agent/definition.ts';

/** A tool of the platform itself. What it gives follows from the event that records the call, so that any replay gives the same. */
export type ControlTool = {
  readonly name: string;
  /** What it is for, in words that end the sentence `the platform has a tool of that name, which …`. */
  readonly purpose: string;
  /** What models are told of it. */
  readonly description: string;
  readonly inputSchemaJson: string;
  /** Whether the model of a node is offered it. */
  readonly isOffered: (node: LlmNode) => boolean;
  /** What the model is given; `at`: when the call was recorded, in milliseconds since 1970. */
  readonly result: (argumentsJson: string, at: number) => string;
  /** What a conversation shows in place of the result, said by the node of a tree; absent: the result. */
  readonly shownAs?: string;
  /** The node's loop is over once its step is. */
  readonly leavesLoop: boolean;
};
