import { pausedSentence } from '@stopgo/a2a-agent';
import { inputText, respondFirst, visibleText, waitingText } from '@stopgo/core';
import { orchestrator, views } from '@stopgo/proto';
import type { Answer } from '../json-text.ts';
import { renderApproval } from './approval.ts';
import { renderInput } from './input.ts';
import type { SoundView } from './sound-view.ts';

const tokenTaken = 'The message was not stored: the token that came with it let the waiting run go on.';

/** What a request came to: the run's answer, or what it waits for. */
export function renderResult(outcome: orchestrator.TurnOutcome, view: SoundView): Answer {
  const approvals = view.approvals.map((one) => renderApproval(one));
  const inputs = view.head.pendingInputs.map((one) => renderInput(one, view.head.id));
  return {
    response: responseText(outcome, view),
    waiting_approval: approvals.length > 0,
    approval: approvals[0],
    approvals,
    auth_required: view.head.authPrompt !== '',
    ...(inputs.length === 0 ? {} : { input_required: true, inputs }),
    error: errorText(outcome, view),
    notice: noticeText(outcome, view),
  };
}

/** What became of a message that was not taken as one, in words for people; undefined if it was. */
function noticeText(outcome: orchestrator.TurnOutcome, { head, approvals }: SoundView): string | undefined {
  if (outcome === orchestrator.TurnOutcome.RESUMED_WITH_TOKEN) return tokenTaken;
  if (outcome !== orchestrator.TurnOutcome.REFUSED_WAITING) return undefined;
  if (head.run?.paused !== undefined) return notStored(`somebody resumes it (POST /runs/${head.id}/resume)`);
  const [approval] = approvals;
  const [input] = head.pendingInputs;
  if (approval !== undefined)
    return notStored(`people decide on approval ${approval.id}${andMore(approvals)} (POST /approvals/${approval.id})`);
  if (input !== undefined)
    return notStored(
      `somebody answers question ${input.id}${andMore(head.pendingInputs)} (POST /conversations/${head.id}/inputs/${input.id})`,
    );
  return notStored('a request brings a token');
}

const andMore = (all: readonly unknown[]): string => (all.length > 1 ? ` and ${all.length - 1} more` : '');

const notStored = (until: string): string =>
  `The message was not stored: the run waits until ${until}. Send it again after that.`;

function responseText(outcome: orchestrator.TurnOutcome, { head, approvals }: SoundView): string {
  const waits = approvals.length > 0;
  if (waits && outcome === orchestrator.TurnOutcome.REFUSED_WAITING) return respondFirst;
  const { paused } = head.run ?? {};
  if (!waits && paused !== undefined) return pausedSentence(paused);
  const inputs = head.pendingInputs.map(inputText).join('\n\n');
  if (!waits && head.authPrompt === '' && inputs === '') return head.run?.response ?? '';
  return [waits ? waitingText(approvals) : '', inputs, visibleText(head.authPrompt)]
    .filter((text) => text !== '')
    .join('\n\n');
}

/** Why a message was not taken, or how its run failed; undefined if neither is so. */
export function errorText(outcome: orchestrator.TurnOutcome, { head, approvals }: SoundView): string | undefined {
  if (outcome !== orchestrator.TurnOutcome.REFUSED_WAITING) return failureText(head.run);
  if (head.run?.paused !== undefined) return 'conversation is paused';
  const asked = head.pendingInputs.length > 0 ? 'input' : 'authentication';
  return `conversation is waiting for ${approvals.length > 0 ? 'approval' : asked}`;
}

function failureText(run: views.Run | undefined): string | undefined {
  if (run?.status !== views.RunStatus.FAILED) return undefined;
  return run.response === '' ? 'the run failed' : visibleText(run.response);
}
