import { expect, test } from 'vitest';
import { type CallTurn, CallTurns } from '../../src/bridges/call-turns.ts';
import { aheadMax, lastCallsMax, shortCallMs } from '../../src/bridges/server-pace.ts';

const { signal } = new AbortController();

/** Turns of one bridge, on a clock that the test moves. */
function turnsAt(ahead = 1, at = { now: 0 }) {
  const turns = new CallTurns(() => at.now, ahead);
  const take = (server: string, atOnce: number, until = signal) => turns.take('bridge', server, atOnce, until);
  /** A server of which short calls have been seen. */
  const short = (server: string) => take(server, 1).leave(true);
  return { at, turns, take, short };
}

/** Whether it has come by now. */
async function isOver(wait: Promise<void> | undefined): Promise<boolean> {
  if (wait === undefined) return true;
  const notYet = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([wait.then(() => true), notYet]);
}

const hasCome = ({ come }: CallTurn): Promise<boolean> => isOver(come);
const isAlone = ({ alone }: CallTurn): Promise<boolean> => isOver(alone);

test('so many have their turn as may, the others in the order they came; lines do not wait for each other', async () => {
  const { turns, take } = turnsAt();
  const [a, b, c, d] = [1, 2, 3, 4].map(() => take('files', 2));
  expect([a, b].map((turn) => turn?.come)).toEqual([undefined, undefined]);
  expect(take('other', 1).come).toBeUndefined();
  expect(turns.take('another bridge', 'files', 1, signal).come).toBeUndefined();
  expect(await hasCome(c!)).toBe(false);
  b!.leave(true);
  expect(await hasCome(c!)).toBe(true);
  a!.leave(true);
  expect(await hasCome(d!)).toBe(true);
});

test('who gives up while it waits takes no turn, and gives none away', async () => {
  const { take } = turnsAt();
  const leaving = new AbortController();
  const first = take('files', 1);
  const gone = take('files', 1, leaving.signal);
  const next = take('files', 1);
  leaving.abort(new Error('the run was canceled'));
  await expect(gone.come).rejects.toThrow('the run was canceled');
  expect(await isAlone(gone)).toBe(true);
  gone.leave(true);
  expect(await hasCome(next)).toBe(false);
  first.leave(true);
  expect(await hasCome(next)).toBe(true);
  next.leave(true);
  expect(take('files', 1).come).toBeUndefined();
});

test('a server without a limit keeps nobody waiting', () => {
  const { take } = turnsAt();
  for (let calls = 0; calls < 100; calls += 1) expect(take('files', 0).come).toBeUndefined();
});

test('where calls are short, one may be begun behind those that run, and no more', async () => {
  const { take, short } = turnsAt();
  short('files');
  const [a, b, c, d] = [1, 2, 3, 4].map(() => take('files', 1));
  expect([a!.come, a!.alone, b!.come]).toEqual([undefined, undefined, undefined]);
  expect([await isAlone(b!), await hasCome(c!), await hasCome(d!)]).toEqual([false, false, false]);
  a!.leave(true);
  expect([await isAlone(b!), await hasCome(c!), await isAlone(c!), await hasCome(d!)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  a!.leave(true);
  b!.leave(true);
  expect(await isAlone(c!)).toBe(true);
});

test('more may be begun behind those that run, as many as are allowed, in their order', async () => {
  const { take, short } = turnsAt(aheadMax);
  short('files');
  const running = take('files', 1);
  const behind = Array.from({ length: aheadMax + 2 }, () => take('files', 1));
  const begun = async () => (await Promise.all(behind.map(hasCome))).filter((has) => has).length;
  expect(await begun()).toBe(aheadMax);
  running.leave(true);
  expect([await begun(), await isAlone(behind[0]!), await isAlone(behind[1]!)]).toEqual([aheadMax + 1, true, false]);
});

test('the longer the calls of a server, the fewer are begun behind those that run', async () => {
  const { at, take } = turnsAt(aheadMax);
  const one = take('files', 1);
  at.now = 50;
  one.leave(true);
  take('files', 1);
  const behind = [1, 2, 3].map(() => take('files', 1));
  expect(await Promise.all(behind.map(hasCome))).toEqual([true, true, false]);
});

test('one that leaves again does not end the line that others are in by then', async () => {
  const { take } = turnsAt(0);
  const gone = take('files', 1);
  gone.leave(true);
  const running = take('files', 1);
  gone.leave(true);
  const waiting = take('files', 1);
  expect(await hasCome(waiting)).toBe(false);
  running.leave(true);
  expect(await hasCome(waiting)).toBe(true);
});

test('one that is ahead and leaves makes room for the next, and gives no turn to run away', async () => {
  const { take, short } = turnsAt();
  short('files');
  const [a, b, c] = [1, 2, 3].map(() => take('files', 1));
  b!.leave(true);
  expect([await isAlone(b!), await hasCome(c!), await isAlone(c!)]).toEqual([true, true, false]);
  a!.leave(true);
  expect(await isAlone(c!)).toBe(true);
});

test('behind a call that has run for long, none is begun; nor at a server of which a long one was seen', async () => {
  const { at, take, short } = turnsAt();
  short('files');
  const long = take('files', 1);
  at.now = shortCallMs;
  const next = take('files', 1);
  expect(await hasCome(next)).toBe(false);
  long.leave(true);
  expect(await isAlone(next)).toBe(true);
  expect(await hasCome(take('files', 1))).toBe(false);
});

test('the length of a call is counted from when none was before it', async () => {
  const { at, take, short } = turnsAt();
  short('files');
  const [a, b] = [take('files', 1), take('files', 1)];
  at.now = shortCallMs - 1;
  a.leave(true);
  at.now += shortCallMs - 1;
  b.leave(true);
  const [c, d] = [take('files', 1), take('files', 1)];
  expect([c.come, d.come]).toEqual([undefined, undefined]);
});

test('one that leaves unmade says nothing of the pace', async () => {
  const { at, take, short } = turnsAt();
  take('unknown', 1).leave(false);
  take('unknown', 1);
  expect(await hasCome(take('unknown', 1))).toBe(false);
  const long = take('slow', 1);
  at.now = shortCallMs;
  long.leave(true);
  for (let unmade = 0; unmade < lastCallsMax; unmade += 1) take('slow', 1).leave(false);
  take('slow', 1);
  expect(await hasCome(take('slow', 1))).toBe(false);
  short('quick');
  const late = take('quick', 1);
  at.now += shortCallMs;
  late.leave(false);
  take('quick', 1);
  expect(await hasCome(take('quick', 1))).toBe(true);
});

test('what is known of a server is known at another bridge, too', () => {
  const { turns, short } = turnsAt();
  short('files');
  turns.take('new bridge', 'files', 1, signal);
  expect(turns.take('new bridge', 'files', 1, signal).come).toBeUndefined();
});

test('a server that takes fewer at a time than before gets no more than it takes now', async () => {
  const { at, take } = turnsAt();
  const [a, b] = [take('files', 2), take('files', 2)];
  const next = take('files', 1);
  at.now = shortCallMs;
  a.leave(true);
  expect(await hasCome(next)).toBe(false);
  b.leave(true);
  expect(await hasCome(next)).toBe(true);
});
