/** The text of a value that came as JSON; undefined if it is nested too deep for one. */
export function textOfJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
