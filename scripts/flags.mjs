// The flags of the programs that `npm run` starts.
import { parseArgs } from 'node:util';

/** The exit code of a program that was called with what it does not take. */
const WRONG_USE = 2;

/**
 * The values of the flags that a program was called with, each with a text or as `true`. With `--help` it prints the usage and ends with 0; with anything
 * that is none of its flags it ends with 2, a line that says what is wrong, and the usage.
 */
export function flagsOf(usage, options, args = process.argv.slice(2)) {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseArgs({ options, args }).values;
  } catch (error) {
    return misused(usage, error);
  }
}

/** Ends a program that was called wrongly: a line that says what is wrong, and the usage. */
export function misused(usage, problem) {
  console.error(`${problem instanceof Error ? problem.message : problem}\n${usage}`);
  process.exit(WRONG_USE);
}

/** What `read` makes of the values of flags; where it throws, the program was called wrongly (see {@link misused}). */
export function readFlags(usage, read) {
  try {
    return read();
  } catch (error) {
    return misused(usage, error);
  }
}

/** The whole number, of at most nine digits, that a flag gives; undefined without it. Throws an error for anything else. */
export function wholeNumber(name, given) {
  if (given === undefined) return undefined;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new Error(`--${name} takes a whole number, not ${JSON.stringify(given)}`);
}
