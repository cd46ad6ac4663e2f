import type { LogFields, Logger } from '@stopgo/runtime';

/** A logger that keeps its lines, each with its level before it and its fields behind. */
export function keepingLog(): { readonly log: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (level: string) => (message: string, fields?: LogFields) =>
    void lines.push(`${level}: ${message}${fields === undefined ? '' : ` ${JSON.stringify(fields)}`}`);
  const log: Logger = {
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
    child: () => log,
  };
  return { log, lines };
}
