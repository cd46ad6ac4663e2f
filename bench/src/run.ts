// What every bench program does around its measurements.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the results of full runs are kept. */
export const resultsFolder = fileURLToPath(new URL('../results/', import.meta.url));

/** Ends cleanly on a signal, and with a failure if the whole run takes longer than so many milliseconds. */
export function limitRun(wholeRunMs: number): void {
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  setTimeout(() => {
    say(`not done within ${wholeRunMs / 60_000} minutes`);
    process.exit(1);
  }, wholeRunMs).unref();
}

/** The part that `--only` names; undefined for all. Anything else ends the program with a line that says what is taken. */
export function onlyPart<P extends string>(parts: readonly P[], given: string | undefined): P | undefined {
  const only = parts.find((part) => part === given);
  if (given === undefined || only !== undefined) return only;
  refuse(`--only takes one of ${parts.join(', ')}, not "${given}"`);
}

/** The number from 1 on that `--<name>` gives; undefined without it. Anything else ends the program with a line. */
export function countOf(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^[1-9]\d{0,7}$/.test(given)) return Number(given);
  return refuse(`--${name} takes a number, not "${given}"`);
}

/** Ends the program with a line that says what is wrong with how it was called. */
export function refuse(why: string): never {
  say(why);
  process.exit(2);
}

/** One line about what is going on. */
export function say(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}

/** Writes a page and the figures that it is made of, each of them whole or not at all. */
export function writeResults(folder: string, name: string, page: string, results: object): void {
  mkdirSync(folder, { recursive: true });
  const write = (ending: string, text: string): void => {
    const file = join(folder, `${name}.${ending}`);
    writeFileSync(`${file}.part`, text);
    renameSync(`${file}.part`, file);
  };
  write('md', page);
  write('json', `${JSON.stringify(results, undefined, 2)}\n`);
}
