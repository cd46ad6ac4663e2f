import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { reasonOf, StartupError } from '@stopgo/tool-server';

/** What a client asked for, as it arrived. */
export interface JournaledCall {
  readonly tool: string;
  readonly arguments: unknown;
  /** The request's `_meta`, without the keys that the protocol reserves for itself. */
  readonly meta: unknown;
}

/** Records how a call ended. */
export type EndOfCall = (isError: boolean) => void;

/**
 * An independent record of what this program was made to do, for tests that kill it: a `begin` line is on the disk
 * before a call has any effect, and an `end` line after it. A begin without an end is a call cut short.
 */
export interface CallJournal {
  /** Throws when the line cannot be written; the call must then have no effect. */
  begin(call: JournaledCall): EndOfCall;
  close(): void;
}

/** The journal of everyday use: none. */
export const noJournal: CallJournal = { begin: () => () => {}, close: () => {} };

const fileMode = 0o600;

/**
 * Appends one JSON line per event to the file; `call` is the same in both lines of a call and differs between calls of
 * all processes that run. Each line is one append, so that several processes can share a file.
 * @throws StartupError when the file cannot be opened.
 */
export function openJournal(file: string, processId: number, now: () => string): CallJournal {
  const descriptor = open(file);
  let calls = 0;
  const append = (line: object): void => {
    writeSync(descriptor, `${JSON.stringify(line)}\n`);
    fsyncSync(descriptor);
  };
  return {
    begin: (call) => {
      calls += 1;
      const identified = { call: `${processId}-${calls}`, ...call };
      append({ type: 'begin', time: now(), ...identified });
      return (isError) => append({ type: 'end', time: now(), ...identified, is_error: isError });
    },
    close: () => closeSync(descriptor),
  };
}

function open(file: string): number {
  try {
    return openSync(file, 'a', fileMode);
  } catch (thrown) {
    throw new StartupError(`cannot open the journal: ${reasonOf(thrown)}`);
  }
}
