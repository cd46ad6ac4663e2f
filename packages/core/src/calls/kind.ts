import type { facts as wire } from '@stopgo/proto';
import type { OfferedTool, ToolNode, Toolset } from '../agent/definition.ts';
import type { StepDefinition } from '../agent/definitions.ts';
import type { Fact } from '../events/facts.ts';
import type { CallState } from '../state/state.ts';

/** All that differs from one kind of call to another, at one place: the others ask the table of kinds (`callKinds`). */
export type CallKind = {
  /** What a node may call of this kind, as it is offered to its model. */
  readonly offers: (node: ToolNode, tools: Toolset) => readonly OfferedTool[];
  /** The noun for it in reasons: `the tool is destructive`. */
  readonly noun: string;
  /** Why arguments in canonical form cannot be sent, in words for a model; undefined if they can. */
  readonly problemOf: (argumentsJson: string) => string | undefined;
  /**
   * How it is done by somebody else. Absent for what the platform does itself: that is done when it is recorded, so that nothing of it
   * is approved, sent or found out later.
   */
  readonly sent?: SentKind;
};

/** What a call needs that somebody else does: approved by people, fenced before it is sent, found out after a crash. */
export type SentKind = {
  readonly approvalKind: wire.ApprovalKind;
  /** What people are shown of a call: all of it. Control characters are made visible, and long texts cut, by whoever shows it. */
  readonly describe: (call: {
    readonly tool: string;
    readonly argumentsJson: string;
    readonly target: string;
  }) => string;
  /** The fence of an attempt; `bridge`: instance that is to make it, empty where none is needed. */
  readonly started: (runId: string, call: CallState, attempt: number, bridge: string) => Fact;
  /** Who wants a bearer token, where a call lacks one: `files server`. */
  readonly whose: (target: string) => string;
  /** Whether a call carries the caller's bearer token; `defined`: what its step follows. */
  readonly forwardsBearer: (call: CallState, defined: StepDefinition) => boolean;
};
