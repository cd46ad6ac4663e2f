import type { OfferPlace } from '../kind.ts';

/** A tool of the platform itself. What it gives follows from the event that records the call, so that any replay gives the same. */
export type ControlTool = {
  readonly name: string;
  /** What it is for, in words that end the sentence `the platform has a tool of that name, which …`. */
  readonly purpose: string;
  /** What models are told of it. */
  readonly description: string;
  readonly inputSchemaJson: string;
  /** Whether the model of a node is offered it. */
  readonly isOffered: (place: OfferPlace) => boolean;
  /** Why arguments in canonical form cannot be taken, in words for a model; undefined if they can. Absent: all are. */
  readonly problemOf?: (argumentsJson: string) => string | undefined;
  /** What the model is given; `at`: when the call was recorded, in milliseconds since 1970. */
  readonly result: (argumentsJson: string, at: number) => string;
  /** What a conversation shows in place of the result, said by the node of a tree; absent: the result. */
  readonly shownAs?: string;
  /** The node's loop is over once its step is. */
  readonly leavesLoop: boolean;
  /** The agent has done its task. It is asked for alone: what other calls come to is known before. */
  readonly completes?: true;
};
