import type { LoggedConversation } from '../promises/read-log.ts';
import type { Carried } from './faults.ts';

/** How long it took until what a fault met went on. */
export type Recovery = {
  /** Conversations that were at work when a fault began, and came to rest after all. */
  readonly recovered: number;
  /** For each run that was at work when a fault began, the seconds until its next event. */
  readonly toGoOn: readonly number[];
  /**
   * For each run that another orchestrator took from its owner, the seconds from when the owner was struck. Only of those
   * that met no other fault meanwhile, of another orchestrator neither.
   */
  readonly toTakeOver: readonly number[];
  /** The same for those that other faults met too, from the run's last event. */
  readonly toTakeOverAmidOthers: readonly number[];
};

const msPerSecond = 1_000;

/** Reads from the log how the runs came through the faults. */
export function recoveryOf(conversations: readonly LoggedConversation[], carried: readonly Carried[]): Recovery {
  const waits = conversations.map((one) => waitsOf(one, carried));
  const toTakeOver: number[] = [];
  const toTakeOverAmidOthers: number[] = [];
  for (const { from, to } of conversations.flatMap(takeovers)) {
    const met = carried.filter((fault) => fault.to >= from && fault.from <= to);
    const [only] = met;
    if (met.length === 1 && only?.part === 'orchestrator')
      toTakeOver.push((to - Math.max(from, only.from)) / msPerSecond);
    else toTakeOverAmidOthers.push((to - from) / msPerSecond);
  }
  return {
    recovered: waits.filter(({ length }) => length > 0).length,
    toGoOn: waits.flat(),
    toTakeOver,
    toTakeOverAmidOthers,
  };
}

function waitsOf({ events }: LoggedConversation, carried: readonly Carried[]): number[] {
  return events.flatMap((event, index) => {
    const next = events[index + 1];
    if (next === undefined || isAtRest(events, index)) return [];
    return carried
      .filter(({ from }) => from > event.time && from <= next.time)
      .map(({ from }) => (next.time - from) / msPerSecond);
  });
}

/** After a run was released or settled, nothing is at work until a human says something. */
function isAtRest(events: LoggedConversation['events'], index: number): boolean {
  const rest = ['runReleased', 'runCompleted', 'runFailed', 'runCanceled', 'conversationCreated', 'toolCallFinished'];
  const last = events[index]?.fact;
  if (last?.case === 'toolCallFinished') return last.value.late;
  return last?.case === undefined || rest.includes(last.case);
}

/** Claims of a run that somebody else owned: when, and when the run's last event before was. */
function takeovers({ events }: LoggedConversation): { readonly from: number; readonly to: number }[] {
  let owner: string | undefined;
  let before = 0;
  return events.flatMap(({ fact, time }) => {
    const since = before;
    before = time;
    switch (fact.case) {
      case 'runStarted':
        owner = fact.value.owner?.instance;
        return [];
      case 'runReleased':
      case 'runCompleted':
      case 'runFailed':
      case 'runCanceled':
        owner = undefined;
        return [];
      case 'runClaimed': {
        const taken = owner !== undefined && owner !== fact.value.owner?.instance;
        owner = fact.value.owner?.instance;
        return taken ? [{ from: since, to: time }] : [];
      }
      default:
        return [];
    }
  });
}

/** Median and maximum as text; a dash if there is nothing. */
export function medianAndMax(values: readonly number[]): string {
  const sorted = [...values].sort((one, other) => one - other);
  const [median, max] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  return median === undefined || max === undefined ? '-' : `p50 ${median.toFixed(2)}, max ${max.toFixed(2)}`;
}
