import type { LogFields, Logger } from '@stopgo/runtime';

/** A logger that keeps its lines, each with its level before it and its fields behind, and those fields as they were given. */
export function keepingLog(): { readonly log: Logger; readonly lines: string[]; readonly fields: LogFields[] } {
  const lines: string[] = [];
  const all: LogFields[] = [];
  const keep = (level: string) => (message: string, fields?: LogFields) => {
    lines.push(`${level}: ${message}${fields === undefined ? '' : ` ${JSON.stringify(fields)}`}`);
    if (fields !== undefined) all.push(fields);
  };
  const log: Logger = {
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
    child: () => log,
  };
  return { log, lines, fields: all };
}
