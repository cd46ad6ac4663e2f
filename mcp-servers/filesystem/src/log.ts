/** One line of the log. */
export interface LogLine {
  readonly level: 'INFO' | 'WARN' | 'ERROR';
  readonly msg: string;
  readonly [field: string]: unknown;
}

export type Log = (line: LogLine) => void;

/** Longest text of a caller in a line, in UTF-16 code units. */
const textLengthMax = 1_000;

/** A log of JSON lines, each with the time first. */
export function jsonLog(write: (text: string) => void, now: () => string): Log {
  return (line) => write(`${JSON.stringify({ time: now(), ...line }, cut)}\n`);
}

function cut(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, textLengthMax) : value;
}
