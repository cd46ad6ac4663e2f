/** A line of a comparison, with its number in the file: the one before of a line that is gone, else the one after. */
export type PatchLine = {
  readonly kind: 'same' | 'gone' | 'new' | 'note';
  readonly text: string;
  readonly number?: number;
};

/** Lines that stand together; between two of them is what did not change. */
export type PatchPart = { readonly lines: readonly PatchLine[] };

const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Reads a unified diff of one file. What is none comes to no part. */
export function readPatch(patch: string): readonly PatchPart[] {
  const parts: { lines: PatchLine[] }[] = [];
  let [before, after] = [0, 0];
  // The last line break ends the last line.
  for (const line of patch.replace(/\n$/, '').split('\n')) {
    const found = head.exec(line);
    if (found !== null) {
      [before, after] = [Number(found[1]), Number(found[2])];
      parts.push({ lines: [] });
      continue;
    }
    const lines = parts.at(-1)?.lines;
    if (lines === undefined) continue;
    const text = line.slice(1);
    if (line.startsWith('-')) lines.push({ kind: 'gone', text, number: before++ });
    else if (line.startsWith('+')) lines.push({ kind: 'new', text, number: after++ });
    else if (line.startsWith('\\')) lines.push({ kind: 'note', text: 'no line break at the end' });
    else {
      lines.push({ kind: 'same', text, number: after++ });
      before += 1;
    }
  }
  return parts;
}

/** How much of a text is new and how much is gone, in words. */
export function patchWords(parts: readonly PatchPart[]): string {
  const lines = parts.flatMap((part) => part.lines);
  const number = (kind: PatchLine['kind']) => lines.filter((line) => line.kind === kind).length;
  const words = (amount: number, what: string) => `${amount} ${amount === 1 ? 'line' : 'lines'} ${what}`;
  return `${words(number('new'), 'new')}, ${words(number('gone'), 'gone')}`;
}
