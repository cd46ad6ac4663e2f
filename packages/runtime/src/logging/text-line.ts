import { escapeUnprintable } from './printable.ts';

/** One log record as the JSON form holds it. */
export type LogRecord = Readonly<Record<string, unknown>> & {
  readonly level: string;
  readonly time: string;
  readonly msg: string;
};

const separator = ' | ';

/**
 * A record as one line for people:
 * `15:04:05 | 200 | 1.2ms | POST | /path | sid=a1b2c3d4 | INFO | conversation=…` for a request, else
 * `15:04:05 | INFO | message | name=value`. The time is local; whatever could forge a line is escaped.
 */
export function textLine(record: LogRecord): string {
  const { level, time, msg, ...fields } = record;
  const clock = localTime(time);
  const severity = level.toUpperCase();
  if (!isRequest(fields)) return joined([clock, severity, escapeUnprintable(msg), ...named(fields)]);
  const { status, durationMs, method, path, sid, ...rest } = fields;
  const parts = [clock, String(status), `${durationMs.toFixed(1)}ms`, method, path, `sid=${shown(sid)}`].map((part) =>
    escapeUnprintable(part),
  );
  return joined([...parts, severity, ...named(rest)]);
}

type RequestFields = { status: number; durationMs: number; method: string; path: string; sid: string };

function isRequest(fields: Readonly<Record<string, unknown>>): fields is RequestFields & Record<string, unknown> {
  const { status, durationMs, method, path, sid } = fields;
  const counts = [status, durationMs].every((value) => typeof value === 'number');
  return counts && [method, path, sid].every((value) => typeof value === 'string');
}

function named(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).map(([name, value]) => `${escapeUnprintable(name)}=${shown(value)}`);
}

function shown(value: unknown): string {
  return escapeUnprintable(typeof value === 'string' ? value : JSON.stringify(value));
}

/** ` | ` inside a part would look like the end of it. */
function joined(parts: readonly string[]): string {
  return parts.map((part) => part.replaceAll(separator, ' ¦ ')).join(separator);
}

function localTime(iso: string): string {
  const time = new Date(iso);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((n) => String(n).padStart(2, '0')).join(':');
}
