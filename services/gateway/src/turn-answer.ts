import { orchestrator } from '@stopgo/proto';
import type { Response } from 'express';
import { type Frame, joinSession } from './frame.ts';
import { messagesOf } from './messages.ts';
import { type Preferences, preferencesApplied } from './prefer.ts';
import { renderConversation, renderRun } from './render/conversation.ts';
import { errorText, renderResult } from './render/result.ts';
import { type SoundView, soundView } from './render/sound-view.ts';
import { runStatusWord } from './render/words.ts';
import { sendJson, sendLongJson } from './respond.ts';
import type { RouteDependencies } from './routes/route.ts';

/** How a request that may start or continue a run is to be answered. */
export type TurnAnswer = {
  readonly turn: orchestrator.Turn | undefined;
  /** The status if the run is not left working. */
  readonly status: 200 | 201;
  readonly preferences: Preferences;
  /** How long the request waited for its run at most, in milliseconds; absent if it is of a kind that does not wait. */
  readonly waitMs?: number;
  /** False if the request asked for no run, so that there is no result to tell. */
  readonly withResult: boolean;
};

const busyRetrySeconds = 1;

/**
 * Answers with what a conversation came to: 200 or 201 with the result, 202 while the run goes on, 409 if the message
 * was not taken because another run is being worked on. An answer has an `error` also where its status is no error: the message was not
 * taken because something waits, or its run failed. The view that came with the turn is what is shown; the store is
 * asked for the messages only, and only if they are wanted; they are read while they are written.
 */
export async function answerTurn(
  { clients, readerStallMs: stallMs }: Pick<RouteDependencies, 'clients' | 'readerStallMs'>,
  res: Response,
  frame: Frame,
  { turn, status, preferences, waitMs, withResult }: TurnAnswer,
): Promise<void> {
  const view = soundView(turn?.view);
  joinSession(frame, view.head);
  const outcome = turn?.outcome ?? orchestrator.TurnOutcome.UNSPECIFIED;
  if (outcome === orchestrator.TurnOutcome.REFUSED_BUSY) {
    res.setHeader('Retry-After', busyRetrySeconds);
    const conversation = renderConversation(view);
    sendJson(res, 409, { error: 'conversation is busy', run: renderRun(view.head), conversation });
    return;
  }
  const working = isWorking(outcome, view);
  const messages = preferences.minimal ? undefined : messagesOf(clients.store, view.head, frame.context);
  const conversation = renderConversation(view, messages);
  const applied = preferencesApplied(preferences, { async: working, ...(waitMs === undefined ? {} : { waitMs }) });
  const headers = {
    ...(applied === '' ? {} : { 'Preference-Applied': applied }),
    ...(working || status === 201 ? { Location: `/conversations/${view.head.id}` } : {}),
  };
  const rest = working
    ? { run: renderRun(view.head) }
    : { result: withResult ? renderResult(outcome, view) : undefined };
  // Before all else: who looks for an error looks here, and a conversation may be long.
  const error = withResult && !working ? errorText(outcome, view) : undefined;
  await sendLongJson(res, working ? 202 : status, { error, conversation, ...rest }, { headers, stallMs });
}

function isWorking(outcome: orchestrator.TurnOutcome, { head }: SoundView): boolean {
  if (outcome === orchestrator.TurnOutcome.WORKING) return true;
  const resumed = outcome === orchestrator.TurnOutcome.RESUMED_WITH_TOKEN;
  return resumed && head.run !== undefined && runStatusWord(head.run.status) === 'working';
}
