/** What of calls needs a yes, and whose: ordered rules, as plain data. The first that matches a call decides it. */

import { type Defined, defined } from '../text/defined.ts';
import type { Json } from '../text/json.ts';
import type { Hints } from './hints.ts';

/** What a rule makes of a call. */
export type RuleVerdict = 'allow' | 'ask' | 'deny';

/** One rule. What it leaves out matches every call. */
export type Rule = {
  /** Unique in its policy; shown to people. */
  readonly name: string;
  /** Pattern of the tool server's name (see `matchesGlob`); the server of a delegation has an empty one. */
  readonly server?: string;
  /** Pattern of the name under which the call is made; that of a delegation is `a2a_<agent>`. */
  readonly tool?: string;
  /** Pattern of the name of the agent that makes the call. */
  readonly agent?: string;
  /** Pattern of the name of the node that makes the call. */
  readonly node?: string;
  /** Hints that hold for the tool, declared or by default. */
  readonly annotations?: Partial<Hints>;
  /** A predicate in CEL. */
  readonly when?: string;
  readonly verdict: RuleVerdict;
  /** Told to people, and to the model; empty: none is given. */
  readonly reason: string;
  /** Who decides, how many of them, until when; absent: whoever may decide approvals at all, and for ever. */
  readonly demand?: DemandSpec;
  /** Names of the webhooks that are told of its approvals; absent: those of the policy. */
  readonly notify?: readonly string[];
};

/** Somebody who may decide. A user by e-mail, or by the name that somebody claims who is not authenticated. */
export type ApproverSpec =
  | { readonly kind: 'user'; readonly name: string }
  | { readonly kind: 'role'; readonly name: 'USER' | 'ADMIN' | 'SUPER_ADMIN' }
  | { readonly kind: 'group'; readonly name: string };

/** What a rule demands of an approval. Times count from when it is requested, in milliseconds. */
export type DemandSpec = {
  /** Any of them may decide; none: whoever may decide approvals at all. */
  readonly approvers: readonly ApproverSpec[];
  /** So many different people have to say the same yes. */
  readonly votes: number;
  /** Whoever sent the message that the run answers cannot decide. */
  readonly notRequester: boolean;
  /** When it has waited long enough, and what then happens: `leave`: it stays open and is shown as overdue. */
  readonly expires?: { readonly afterMs: number; readonly verdict: 'reject' | 'leave' };
  /** When those who may decide are reminded, in ascending order. */
  readonly remindAfterMs: readonly number[];
  /** From when others may decide as well, in ascending order. */
  readonly escalations: readonly EscalationSpec[];
};

/** Lets others decide as well. `notify`: webhooks that are told from then on as well. */
export type EscalationSpec = {
  readonly afterMs: number;
  readonly to: readonly ApproverSpec[];
  readonly notify?: readonly string[];
};

/** Rules in the order in which they are tried. Plain JSON, so that it can be recorded whole. */
export type Policy = {
  readonly rules: readonly Rule[];
  /** Names of the webhooks that are told of approvals whose rule names none, or that no rule asks for. */
  readonly notify?: readonly string[];
};

/** The recorded form of a policy: canonical JSON and its digest. */
export function definePolicy(policy: Policy): Defined {
  return defined(policy as unknown as Json);
}

/** A policy from its recorded form. */
export function policyFromDefinition(definitionJson: string): Policy {
  return JSON.parse(definitionJson) as Policy;
}
