/** The program cannot start, for a reason that its operator can remove. The message is one line and is all they need. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** One line about anything that was thrown, for a message that quotes it. */
export function reasonOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.replace(/\s+/gu, ' ').trim();
}
