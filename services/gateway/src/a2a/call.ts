import type { Dialect } from '@stopgo/a2a-agent';
import type { Cursor } from '@stopgo/a2a-agent/http';
import { envelope } from '@stopgo/proto';
import { namedAs, oneName } from '../actor.ts';
import type { Frame } from '../frame.ts';

/** One A2A request on its way through the handler. */
export type A2ACall = {
  readonly frame: Frame;
  readonly dialect: Dialect;
  /** The request's `Idempotency-Key`. */
  readonly idempotencyKey: string | undefined;
  /** The name in the request's `X-Approver`. */
  readonly approver: string | undefined;
  /** The revision after which a stream goes on; undefined if it begins with the task as it is. */
  readonly after: number | undefined;
  /** What is wrong with the request's headers: every operation throws it. */
  readonly unreadable?: unknown;
  /** The extensions that the peer names. */
  readonly extensions: readonly string[];
  /** True if the peer asked for the shapes of the extension `hitl/v1`. */
  readonly withHitl: boolean;
  /** Where a stream is: told with each of its events, so that a client can go on after it anywhere. */
  readonly cursor: Cursor;
  /** To be called when a stream is good but may have no event for long: its client need not wait to be told so. */
  readonly open: () => void;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
};

/** Who did something over A2A, as it is recorded; the surface also tells which dialect a task was started in. */
export type A2AActor = {
  readonly kind: envelope.ActorKind;
  readonly id: string;
  readonly claimed: boolean;
  readonly surface: typeof surface | typeof legacySurface;
  readonly address: string;
  readonly principal: string;
};

export const surface = 'a2a';
export const legacySurface = 'a2a-legacy';

const actor = (kind: envelope.ActorKind, { frame, dialect }: A2ACall, name?: string): A2AActor => ({
  kind,
  ...namedAs(frame, name),
  surface: dialect === 'legacy' ? legacySurface : surface,
  address: frame.address,
});

/** The peer as somebody who talks to the agent. */
export const userOf = (call: A2ACall): A2AActor => actor(envelope.ActorKind.USER, call);

/** The peer as somebody who cancels: under the name in `X-Approver`, if there is one. */
export const cancelerOf = (call: A2ACall): A2AActor => actor(envelope.ActorKind.USER, call, call.approver);

/**
 * The peer as somebody who decides: under the name in `X-Approver` or with the decision, else as nobody in particular. An
 * agent that hands a decision on says with it who made it, and where: that is its claim.
 *
 * @throws DomainError `invalid_argument` for what is no name, and for two.
 */
export const approverOf = (call: A2ACall, by: string | undefined): A2AActor =>
  actor(envelope.ActorKind.APPROVER, call, oneName(call.approver, by));
