import { timestampMs } from '@bufbuild/protobuf/wkt';
import { facts, type views } from '@stopgo/proto';

/** Key of who is to look at an approval; empty: nobody in particular. */
export const assigneeOf = ({ assignment }: Pick<views.Approval, 'assignment'>): string =>
  assignment?.assignee?.key ?? '';

/**
 * From when on an approval waits longer than it should, in milliseconds since 1970. Undefined: never, for what has no end, or is rejected
 * at its end.
 */
export const overdueFrom = ({ expiresAt, demand }: Pick<views.Approval, 'expiresAt' | 'demand'>): number | undefined =>
  expiresAt !== undefined && demand?.onExpiry === facts.OnExpiry.LEAVE ? timestampMs(expiresAt) : undefined;
