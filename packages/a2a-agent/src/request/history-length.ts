import { RequestMalformedError } from '../protocol.ts';

/** How many messages of a task are to be shown; undefined if the peer does not say. @throws A2AError for what is no count. */
export function readHistoryLength(asked: number | undefined): number | undefined {
  if (asked === undefined) return undefined;
  if (!Number.isInteger(asked) || asked < 0) throw new RequestMalformedError('historyLength must be 0 or more');
  return asked;
}
