import type { Kept } from './leader.ts';

/** What the numbers of the messages show of messages that are gone, a line for each range of numbers. */
export function* lostMessages({ first, last, messages, deleted }: Kept): Generator<string, void> {
  let untold = last - messages;
  const told = function* (from: number, to: number) {
    untold -= to - from + 1;
    yield from === to
      ? `message ${from} of the log is missing: it was deleted, with all events in it`
      : `messages ${from} to ${to} of the log are missing: they were deleted, with all events in them`;
  };
  if (first > 1) yield* told(1, Math.min(first - 1, last));
  for (let index = 0; index < deleted.length; ) {
    const from = deleted[index] ?? 0;
    let to = from;
    index++;
    while (deleted[index] === to + 1) {
      to++;
      index++;
    }
    yield* told(from, to);
  }
  if (untold > 0) yield `${untold} messages of the log are missing between ${first} and ${last}: they were deleted`;
}
