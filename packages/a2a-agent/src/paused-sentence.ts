import { visibleLine, visibleText } from '@stopgo/core';
import type { views } from '@stopgo/proto';

/** That a run is paused, and by whom, without a capital and an end; at a limit the reason says all of it. */
export function pausedClause({ by, reason, atLimit }: views.PausedRun): string {
  if (atLimit) return visibleText(reason);
  return `the run is paused${by === '' ? '' : ` by ${visibleLine(by)}`} until somebody resumes it`;
}

/** The same as a sentence of its own, and why. */
export function pausedSentence(paused: views.PausedRun): string {
  const clause = pausedClause(paused);
  if (paused.atLimit) return clause;
  const why = paused.reason === '' ? '.' : `: ${visibleText(paused.reason)}`;
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}${why}`;
}
