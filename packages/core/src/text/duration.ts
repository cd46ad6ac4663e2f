const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const written = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)?$/;

/** What a duration that is a text looks like. */
export const durationPattern = '^\\s*\\d+(\\.\\d+)?\\s*(ms|s|m|h)?\\s*$';

/**
 * Reads a duration: `500ms`, `120s`, `2m`, `1h`, or a plain number of seconds (also `1.5`).
 * Gives whole milliseconds, or undefined when the value is none of these.
 */
export function parseDuration(value: string | number): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? Math.round(value * 1_000) : undefined;
  const match = written.exec(value.trim());
  if (match === null) return undefined;
  const unit = (match[2] ?? 's') as keyof typeof unitMs;
  return Math.round(Number(match[1]) * unitMs[unit]);
}

/** Writes milliseconds the way a configuration file would: `500ms`, `90s`, `2m`. */
export function formatDuration(ms: number): string {
  for (const unit of ['h', 'm', 's'] as const) {
    if (ms >= unitMs[unit] && ms % unitMs[unit] === 0) return `${ms / unitMs[unit]}${unit}`;
  }
  return `${ms}ms`;
}
