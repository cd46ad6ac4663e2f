import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';

/** A time as RFC 3339 in UTC; undefined if there is none. */
export const rfc3339 = (time: Timestamp | undefined): string | undefined =>
  time === undefined ? undefined : timestampDate(time).toISOString();
