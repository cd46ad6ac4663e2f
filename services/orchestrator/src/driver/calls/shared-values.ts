import { type RunData, writtenValueOf } from '@stopgo/core/shared-data';
import type { RunHandle } from '../handle/run-handle.ts';

/**
 * Values that the agents of a run share, as JSON, by the revision at which each was written. Rejects with `unavailable` while the record is
 * out of reach.
 */
export async function sharedValues(
  { transcripts, conversationId }: Pick<RunHandle, 'transcripts' | 'conversationId'>,
  data: RunData,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, string>> {
  const values = new Map<number, string>();
  for (const { writtenAt, callId, callRevision } of data) {
    const argumentsJson = await transcripts.argumentsOf(conversationId, callRevision, callId, signal);
    const valueJson = argumentsJson === undefined ? undefined : writtenValueOf(argumentsJson);
    if (valueJson === undefined) throw new Error(`the value of call ${callId} is not in event ${callRevision}`);
    values.set(writtenAt, valueJson);
  }
  return values;
}
