import { pino } from 'pino';
import type { LogFormat, LogLevel } from '../config/types.ts';
import type { Alarms } from './alarms.ts';
import { type LogFields, mapTexts, plainFields } from './fields.ts';
import { escapeUnprintable } from './printable.ts';
import { createRedactor, type Redactor } from './secrets.ts';
import { type LogRecord, textLine } from './text-line.ts';

/** What services log with. A line holds no registered secret and no character that could forge another line. */
export type Logger = {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
};

export type LoggerOptions = {
  /** Lines below this level are dropped. */
  readonly level: LogLevel;
  /** `json`: one object per line (`level`, `time`, `msg` and the fields); `text`: one line for people. */
  readonly format: LogFormat;
  /** Where whole lines go, for example `process.stdout`. */
  readonly destination: { write(line: string): unknown };
  /** Takes the secrets out of every line; without one only what is shaped like a credential is taken out. */
  readonly redactor?: Redactor;
  /** Told of each line of level `warn` or `error`, also of those that are dropped. */
  readonly alarms?: Alarms;
  /** The clock; the default is the system's. */
  readonly now?: () => Date;
};

/** A logger that writes whole, redacted lines. */
export function createLogger(options: LoggerOptions): Logger {
  const { redactor = createRedactor(), now = () => new Date(), format } = options;
  const finish = (line: string) => {
    // Once more over the whole line: a secret may have been put together from the parts of it.
    const shown = format === 'json' ? escapeUnprintable(line.trimEnd()) : textLine(JSON.parse(line) as LogRecord);
    return `${redactor.redact(shown)}\n`;
  };
  const root = pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"time":"${now().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: finish },
    },
    { write: (line: string) => void options.destination.write(line) },
  );
  return wrap(root, { redactor, now, alarms: options.alarms }, {});
}

type LogMethods = Record<LogLevel, (fields: object, message: string) => void> & {
  isLevelEnabled(level: string): boolean;
};

type Rules = { readonly redactor: Redactor; readonly now: () => Date; readonly alarms: Alarms | undefined };

/**
 * Fields are made plain and redacted here, value by value, before they are encoded: encoding changes how a secret is
 * spelled, and the library's own redaction knows fixed paths only.
 */
function wrap(target: LogMethods, rules: Rules, inherited: LogFields): Logger {
  const { redactor, alarms, now } = rules;
  const log = (level: LogLevel) => (message: string, fields?: LogFields) => {
    const isAlarm = alarms !== undefined && (level === 'warn' || level === 'error');
    if (!isAlarm && !target.isLevelEnabled(level)) return;
    const plain = Object(mapTexts(plainFields({ ...inherited, ...fields }), redactor.redact)) as object;
    const shown = redactor.redact(message);
    // As over a whole line: a secret may have been put together from the parts of it.
    if (isAlarm) alarms.note(level, shown, redactor.redact(JSON.stringify(plain)), now().getTime());
    target[level](plain, shown);
  };
  return {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    child: (fields) => wrap(target, rules, { ...inherited, ...fields }),
  };
}
