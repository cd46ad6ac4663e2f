import type { MessageInitShape } from '@bufbuild/protobuf';
import { facts as wire } from '@stopgo/proto';
import type { ApproverSpec, DemandSpec } from '../policy/policy.ts';

/** What an approval takes, as it is recorded with the request, but for its times. */
export function demandOf(spec: DemandSpec): MessageInitShape<typeof wire.DemandSchema> {
  const { approvers, votes, notRequester, expires } = spec;
  return {
    approvers: approvers.map(approverToWire),
    votes,
    notRequester,
    onExpiry: expires === undefined ? wire.OnExpiry.UNSPECIFIED : onExpiry[expires.verdict],
  };
}

const onExpiry = { reject: wire.OnExpiry.REJECT, leave: wire.OnExpiry.LEAVE } as const;

function approverToWire({ kind, name }: ApproverSpec): MessageInitShape<typeof wire.ApproverSchema> {
  return { who: { case: kind, value: name } };
}
