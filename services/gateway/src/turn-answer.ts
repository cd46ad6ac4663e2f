import { orchestrator } from '@stopgo/proto';
import type { Response } from 'express';
import type { Frame } from './frame.ts';
import { readMessages } from './messages.ts';
import type { GatewayClients } from './options.ts';
import { type Preferences, preferencesApplied } from './prefer.ts';
import { renderConversation, renderRun, type SoundView, soundView } from './render/conversation.ts';
import { renderResult } from './render/result.ts';
import { runStatusWord } from './render/words.ts';
import { sendJson } from './respond.ts';

/** How a request that may start or continue a run is to be answered. */
export type TurnAnswer = {
  readonly turn: orchestrator.Turn | undefined;
  /** The status if the run is not left working. */
  readonly status: 200 | 201;
  readonly preferences: Preferences;
  /** False if the request asked for no run, so that there is no result to tell. */
  readonly withResult: boolean;
};

const BUSY_RETRY_SECONDS = 1;

/**
 * Answers with what a conversation came to: 200 or 201 with the result, 202 while the run goes on, 409 if the message
 * was not taken because another run is being worked on. The view that came with the turn is what is shown; the store is
 * asked for the messages only, and only if they are wanted.
 */
export async function answerTurn(
  store: GatewayClients['store'],
  res: Response,
  frame: Frame,
  { turn, status, preferences, withResult }: TurnAnswer,
): Promise<void> {
  const view = soundView(turn?.view);
  const outcome = turn?.outcome ?? orchestrator.TurnOutcome.UNSPECIFIED;
  if (outcome === orchestrator.TurnOutcome.REFUSED_BUSY) {
    res.setHeader('Retry-After', BUSY_RETRY_SECONDS);
    const conversation = renderConversation(view);
    sendJson(res, 409, { error: 'conversation is busy', run: renderRun(view.head), conversation });
    return;
  }
  const working = isWorking(outcome, view);
  const messages = preferences.minimal ? undefined : await readMessages(store, view.head, frame.context);
  const conversation = renderConversation(view, messages);
  const applied = preferencesApplied(preferences, { async: working });
  if (applied !== '') res.setHeader('Preference-Applied', applied);
  if (working || status === 201) res.setHeader('Location', `/conversations/${view.head.id}`);
  if (working) sendJson(res, 202, { conversation, run: renderRun(view.head) });
  else sendJson(res, status, { conversation, ...(withResult ? { result: renderResult(outcome, view) } : {}) });
}

function isWorking(outcome: orchestrator.TurnOutcome, { head }: SoundView): boolean {
  if (outcome === orchestrator.TurnOutcome.WORKING) return true;
  const resumed = outcome === orchestrator.TurnOutcome.RESUMED_WITH_TOKEN;
  return resumed && head.run !== undefined && runStatusWord(head.run.status) === 'working';
}
