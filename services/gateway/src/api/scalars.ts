import { z } from 'zod';

/** A time as answers say it: RFC 3339 in UTC. */
export const time = () => z.string().meta({ format: 'date-time' });

/** The id of a conversation, an approval, a run or a user. */
export const uuid = () => z.string().meta({ format: 'uuid' });

/** A whole number from 0. */
export const count = () => z.int().min(0);

/** Any JSON object, such as the arguments of a call or a schema. */
export const anyObject = () => z.record(z.string(), z.unknown());

/** Members of a page of a list. */
export const nextCursor = () => z.string().optional().describe('For the next page; absent on the last one');
