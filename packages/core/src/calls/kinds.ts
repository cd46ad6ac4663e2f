import type { CallTarget } from '../events/target.ts';
import { agentKind } from './agent.ts';
import { controlKind } from './control.ts';
import { dataKind } from './data.ts';
import type { AskedKind, CallKind, SentKind } from './kind.ts';
import { memoryKind } from './memory.ts';
import { peopleKind } from './people.ts';
import { remoteKind } from './remote.ts';
import { toolKind } from './tool.ts';

/** All kinds of calls. A new one does not compile until it is here, and in the tables of those who perform calls. */
export const callKinds = {
  tool: toolKind,
  remote: remoteKind,
  agent: agentKind,
  memory: memoryKind,
  people: peopleKind,
  data: dataKind,
  control: controlKind,
} as const satisfies Readonly<Record<CallTarget['kind'], CallKind>>;

type SentKindName = {
  [K in CallTarget['kind']]: (typeof callKinds)[K] extends { readonly sent: SentKind } ? K : never;
}[CallTarget['kind']];

type AskedKindName = {
  [K in CallTarget['kind']]: (typeof callKinds)[K] extends { readonly asked: AskedKind } ? K : never;
}[CallTarget['kind']];

/** Whom a call goes to that people may be asked about. */
export type AskedTarget = Extract<CallTarget, { readonly kind: AskedKindName }>;

/** Whom a call goes to that somebody else does. */
export type SentTarget = Extract<CallTarget, { readonly kind: SentKindName }>;

/** The kind of call that goes to a target. */
export function kindOf(target: CallTarget): CallKind {
  return callKinds[target.kind];
}

/** The same of a target that calls are sent to. */
export function sentKindOf({ kind }: SentTarget): SentKind {
  return callKinds[kind].sent;
}

/** How people are asked about a call that goes to a target. */
export function askedKindOf({ kind }: AskedTarget): AskedKind {
  return callKinds[kind].asked;
}

/** True if people may be asked about the call. */
export function isAsked(target: CallTarget | undefined): target is AskedTarget {
  return target !== undefined && kindOf(target).asked !== undefined;
}

/** True if somebody else does the call, so that it is sent and found out. */
export function isSent(target: CallTarget | undefined): target is SentTarget {
  return target !== undefined && kindOf(target).sent !== undefined;
}
