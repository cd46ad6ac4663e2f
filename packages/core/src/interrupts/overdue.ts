import { timestampMs } from '@bufbuild/protobuf/wkt';
import { facts, type views } from '@stopgo/proto';

/**
 * From when on an approval waits longer than it should, in milliseconds since 1970. Undefined: never, for what has no end, or is rejected
 * at its end.
 */
export const overdueFrom = ({ expiresAt, demand }: Pick<views.Approval, 'expiresAt' | 'demand'>): number | undefined =>
  expiresAt !== undefined && demand?.onExpiry === facts.OnExpiry.LEAVE ? timestampMs(expiresAt) : undefined;
