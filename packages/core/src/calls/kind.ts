import type { facts as wire } from '@stopgo/proto';
import type { OfferedTool, ToolNode, Toolset } from '../agent/definition.ts';
import type { StepDefinition } from '../agent/definitions.ts';
import type { PlatformAgent } from '../agent/platform-agent.ts';
import type { Fact } from '../events/facts.ts';
import type { CallTarget } from '../events/target.ts';
import type { CallState } from '../state/state.ts';
import type { CallSite } from './call-site.ts';

/** A node, as far as it decides what its model is offered. */
export type OfferPlace = {
  readonly node: ToolNode;
  /** Of the agent whose tree it is in; absent: the configuration says what that is. */
  readonly platform?: PlatformAgent;
  /** It is the whole tree. */
  readonly isRoot?: boolean;
};

/** Why a call cannot be made. */
export type CallProblem = {
  /** In words for a model. */
  readonly text: string;
  /** Of a call of an agent: which limit it met. */
  readonly agentRefusal?: wire.AgentRefusal;
};

/** What the run has called before, in all branches, and earlier in the same answer. */
export type CalledBefore = {
  /** Agents of this platform, … */
  readonly agentCallsBefore: number;
  /** … and those of them that are not done. */
  readonly agentsUnderWay: number;
};

/** All that differs from one kind of call to another, at one place: the others ask the table of kinds (`callKinds`). */
export type CallKind = {
  /** What a node may call of this kind, as it is offered to its model. */
  readonly offers: (place: OfferPlace, tools: Toolset) => readonly OfferedTool[];
  /** The noun for it in reasons: `the tool is destructive`. */
  readonly noun: string;
  /** Why a call of a tool with such arguments, in canonical form, cannot be made; undefined if it can. */
  readonly problemOf: (
    argumentsJson: string,
    site: CallSite,
    before: CalledBefore,
    tool: string,
  ) => CallProblem | undefined;
  /** Whom a call goes to, where its arguments or its place say that; absent: to whom its tool does. */
  readonly addressed?: (argumentsJson: string, site: CallSite) => CallTarget;
  /** How people are asked. Absent for what nobody is asked about. */
  readonly asked?: AskedKind;
  /**
   * How it is done by somebody else. Absent for what the platform does itself, so that nothing of it is sent or found out later.
   */
  readonly sent?: SentKind;
};

/** What a call needs that people may have to approve. */
export type AskedKind = {
  readonly approvalKind: wire.ApprovalKind;
  /** What people are shown of a call: all of it. Control characters are made visible, and long texts cut, by whoever shows it. */
  readonly describe: (call: {
    readonly tool: string;
    readonly argumentsJson: string;
    readonly target: string;
  }) => string;
};

/** What a call needs that somebody else does: fenced before it is sent, found out after a crash. */
export type SentKind = {
  /** The fence of an attempt; `bridge`: instance that is to make it, empty where none is needed. */
  readonly started: (runId: string, call: CallState, attempt: number, bridge: string) => Fact;
  /** Who wants a bearer token, where a call lacks one: `files server`. */
  readonly whose: (target: string) => string;
  /** Whether a call carries the caller's bearer token; `defined`: what its step follows. */
  readonly forwardsBearer: (call: CallState, defined: StepDefinition) => boolean;
};
