import { createInterface } from 'node:readline/promises';

/** Asks for a yes; anything else is a no. */
export type Confirm = (question: string) => Promise<boolean>;

/** Asks on the terminal; undefined if there is none, so that nobody could answer. */
export function confirmOn({ stdin, stdout }: Pick<NodeJS.Process, 'stdin' | 'stdout'>): Confirm | undefined {
  if (stdin.isTTY !== true || stdout.isTTY !== true) return undefined;
  return async (question) => {
    const lines = createInterface({ input: stdin, output: stdout });
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    try {
      return /^\s*y(es)?\s*$/i.test(await Promise.race([lines.question(`${question} [y/N] `), ended]));
    } finally {
      lines.close();
    }
  };
}
