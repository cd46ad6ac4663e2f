/** Something that runs until it is stopped. */
export type Started = {
  /** Where it can be reached (`host:port`), or a name in the process when it has no socket. */
  readonly address: string;
  /** Lets what is running finish, then frees everything. Calling it again changes nothing. */
  stop(): Promise<void>;
};

/** Something to stop, with the name that an error about it should have. */
export type NamedStop = { readonly name: string; stop(): Promise<void> };

/**
 * Stops all parts, the last started first, one after the other, and goes on when one fails. Throws an
 * `AggregateError` (`errors stopping <what>: a: …; b: …`) when some did.
 */
export async function stopAll(parts: readonly NamedStop[], what = 'parts'): Promise<void> {
  const failures: { readonly name: string; readonly error: unknown }[] = [];
  for (const { name, stop } of [...parts].reverse()) {
    try {
      await stop();
    } catch (error) {
      failures.push({ name, error });
    }
  }
  if (failures.length === 0) return;
  throw new AggregateError(
    failures.map(({ error }) => error),
    `errors stopping ${what}: ${failures.map(({ name, error }) => `${name}: ${messageOf(error)}`).join('; ')}`,
  );
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
