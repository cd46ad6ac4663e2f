import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { create, facts as wire } from '@stopgo/proto';
import type { ApproverSpec, DemandSpec } from './policy.ts';

/** What a request records of a rule's demand. */
export type RecordedDemand = Pick<wire.ApprovalRequested, 'demand' | 'expiresAt'>;

/**
 * The demand of a rule as the record has it, of an approval that is requested now: its times are absolute from then on.
 *
 * @param authors - keys of those who changed the arguments of the call: who keeps out whoever asked keeps them out as well.
 */
export function demandAt(spec: DemandSpec, now: number, authors: readonly string[] = []): RecordedDemand {
  const at = (afterMs: number) => timestampFromMs(now + afterMs);
  const { expires } = spec;
  const onExpiry = expires?.verdict === 'leave' ? wire.OnExpiry.LEAVE : wire.OnExpiry.REJECT;
  return {
    demand: create(wire.DemandSchema, {
      approvers: spec.approvers.map(recorded),
      votes: spec.votes,
      notRequester: spec.notRequester,
      authors: [...authors],
      onExpiry: expires === undefined ? wire.OnExpiry.UNSPECIFIED : onExpiry,
      remindAt: spec.remindAfterMs.map(at),
      escalations: spec.escalations.map(({ afterMs, to, notify = [] }) => ({
        at: at(afterMs),
        approvers: to.map(recorded),
        notify: [...notify],
      })),
    }),
    ...(expires === undefined ? {} : { expiresAt: at(expires.afterMs) }),
  };
}

const recorded = ({ kind, name }: ApproverSpec) => ({ who: { case: kind, value: name } }) as const;
