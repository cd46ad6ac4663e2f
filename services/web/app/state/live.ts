import type { AnswerOf, Approval, ApprovalEvent, ApprovalNews, StreamState } from '@stopgo/client';
import { platform } from '../api/platform.ts';
import { isSignedIn } from '../api/signed-in.ts';
import { watchStream } from '../api/watch.ts';
import { Store } from './store.ts';

// What all tabs of the app follow all the time: what becomes of approvals, across conversations. The same stream shows whether the
// platform is there.

type Counts = AnswerOf<'GET /approvals/counts'>['counts'];

/** Whether the platform is there, and since when not. */
export type Connection = { readonly state: StreamState; readonly since: number };

export const connection = new Store<Connection>({ state: 'connecting', since: Date.now() });
export const counts = new Store<Counts | undefined>(undefined);
/** Approvals as they were heard of last, by id. */
export const heard = new Store<ReadonlyMap<string, Approval>>(new Map());

const keptMax = 2_000;
const listeners = new Set<(change: ApprovalEvent) => void>();
const reconnected = new Set<() => void>();
let stop: (() => void) | undefined;
let counting: ReturnType<typeof setTimeout> | undefined;

/** Is told each change of an approval. Gives what ends that. */
export function onApprovalChange(listener: (change: ApprovalEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Is told when the platform is there again, or for the first time. */
export function onConnected(listener: () => void): () => void {
  reconnected.add(listener);
  return () => reconnected.delete(listener);
}

/** What was learned of an approval by asking. */
export function hear(approvals: readonly Approval[]): void {
  const next = new Map(heard.get());
  for (const one of approvals) {
    next.delete(one.uuid);
    next.set(one.uuid, one);
  }
  for (const oldest of next.keys()) {
    if (next.size <= keptMax) break;
    next.delete(oldest);
  }
  heard.set(next);
}

/** Begins, or begins anew as somebody else. */
export function goLive(): void {
  stop?.();
  const take = ({ change }: ApprovalNews): void => {
    if (change === undefined) return;
    hear([change.approval]);
    for (const tell of listeners) tell(change);
    countSoon();
  };
  // Of the conversations of others it would tell nothing to who may only decide there.
  const filter = isSignedIn() ? ({ also: 'may_decide' } as const) : {};
  stop = watchStream({
    ...{ open: (options) => platform.approvals.events(filter, options), take, onState: follow },
    // A number that nobody keeps is not shown.
    onRest: () => counts.set(undefined),
  });
}

function follow(state: StreamState): void {
  const before = connection.get().state;
  if (before !== state) connection.set({ state, since: Date.now() });
  if (state !== 'open') return;
  count();
  for (const tell of reconnected) tell();
}

/** Many changes at once are counted once. */
function countSoon(): void {
  if (counting !== undefined) return;
  counting = setTimeout(() => {
    counting = undefined;
    count();
  }, 150);
}

/** How many wait for whoever looks: those that they may decide, where people sign in. */
export const waitingFor = (of: Counts | undefined): number => of?.may_decide ?? of?.waiting ?? 0;

/** So many are counted at most: the number then stands for that many or more. */
const countedMax = 10_000;

/** A number of approvals in words. */
export const countWords = (number: number): string =>
  `${number.toLocaleString('en')}${number >= countedMax ? ' or more' : ''}`;

/** The same where there is little room. */
export const shortCount = (number: number): string =>
  `${number.toLocaleString('en')}${number >= countedMax ? '+' : ''}`;

function count(): void {
  platform.approvals.counts().then(
    (answer) => counts.set(answer),
    () => undefined,
  );
}
