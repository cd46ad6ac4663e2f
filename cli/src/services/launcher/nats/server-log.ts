import type { Logger } from '@stopgo/runtime';

const shape = /^\[\d+\] \S+ \S+ \[(\w{3})\] (.*)$/;

/** Levels of what it says in normal times. */
const quiet: ReadonlySet<string> = new Set(['INF', 'DBG', 'TRC']);

/** What it says of the password that we make and that stands in no file. */
const aboutPasswords = 'Plaintext passwords detected';

/** Writes a line of nats-server as one of our own, at the level that it has; what it says in normal times is `debug`. */
export function logServerLine(line: string, logger: Logger): void {
  const [, level = '', text = line] = shape.exec(line) ?? [];
  if (quiet.has(level) || text.startsWith(aboutPasswords)) logger.debug(text);
  else if (level === 'WRN') logger.warn(text);
  else logger.error(text);
}
