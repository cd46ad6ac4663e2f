/**
 * What was read, or what is wrong with it. A request is refused for what is wrong with it first: what a part of it says is of no
 * account until the task is found that it is about, and whoever needs it then is told.
 */
export type Reading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/** Reads, and keeps what is thrown. */
export function readingOf<T>(read: () => T): Reading<T> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    return { ok: false, error };
  }
}

/** What was read. @throws what was wrong with it. */
export function resultOf<T>(reading: Reading<T>): T {
  if (reading.ok) return reading.value;
  throw reading.error;
}
