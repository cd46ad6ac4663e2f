import { ApiError, type Approval } from '@stopgo/client';
import { platform } from '../api/platform.ts';
import { claimedName } from '../api/signed-in.ts';
import { askOnce, tryIsOver } from '../api/tries.ts';
import { hear } from '../state/live.ts';

export type Decision = {
  readonly action: string;
  readonly reason?: string;
  readonly result?: string;
  /** The changed arguments, as JSON text. */
  readonly argumentsText?: string;
};

/**
 * Decides, and hears what became of it. Somebody else may have been first: that is no error, and the approval says who it was.
 *
 * @throws ApiError or NotReached if nothing was decided, or nobody knows.
 */
export async function decide(
  { uuid }: Approval,
  { action, reason = '', result, argumentsText }: Decision,
): Promise<void> {
  const by = claimedName();
  const members = [
    `"action":${JSON.stringify(action)}`,
    ...(by === '' ? [] : [`"by":${JSON.stringify(by)}`]),
    ...(reason.trim() === '' ? [] : [`"reason":${JSON.stringify(reason.trim())}`]),
    ...(result === undefined ? [] : [`"result":${JSON.stringify(result)}`]),
    // As it was written: a number that JavaScript would round is sent digit by digit.
    ...(argumentsText === undefined ? [] : [`"arguments":${argumentsText}`]),
  ];
  try {
    const sent = { prefer: 'respond-async, return=minimal' };
    await askOnce(`decision.${uuid}`, `/approvals/${uuid}`, `{${members.join(',')}}`, sent);
  } catch (error) {
    if (!isOver(error)) throw error;
    tryIsOver(`decision.${uuid}`);
  }
  hear([await platform.approvals.get(uuid)]);
}

/** Somebody, or the time, was first. Any other refusal is for whoever decides to see. */
const isOver = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.status === 409 &&
  (error.body.reason === 'settled' || error.body.reason === 'expired');
