import type { CallState } from '@stopgo/core';
import type { RunHandle } from './run-handle.ts';

/** The arguments of a call as the model gave them, from the record. */
export async function argumentsOf(driver: RunHandle, call: CallState, signal: AbortSignal): Promise<string> {
  const found = await driver.transcripts.argumentsOf(driver.conversationId, call.revision, call.id, signal);
  if (found === undefined) throw new Error(`call ${call.id} is not in event ${call.revision}`);
  return found;
}
