/** A line of a comparison. */
export type DiffLine = { readonly kind: 'same' | 'gone' | 'new'; readonly text: string };

/** Lines beyond this are compared as a whole: the comparison takes memory of their product. */
const linesMax = 400;

/** What makes one text of another, line by line: the longest common run of lines stays. Undefined: there is no text, not even an empty line. */
export function diffLines(before: string | undefined, after: string | undefined): readonly DiffLine[] {
  const [old, now] = [before?.split('\n') ?? [], after?.split('\n') ?? []];
  if (old.length > linesMax || now.length > linesMax)
    return before === after
      ? now.map((text) => ({ kind: 'same', text }))
      : [
          ...old.map((text) => ({ kind: 'gone', text }) as const),
          ...now.map((text) => ({ kind: 'new', text }) as const),
        ];
  const width = now.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ kind: 'same', text: old[i] ?? '' });
      i += 1;
      j += 1;
    } else if (i < old.length && (j === now.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'gone', text: old[i] ?? '' });
      i += 1;
    } else {
      lines.push({ kind: 'new', text: now[j] ?? '' });
      j += 1;
    }
  }
  return lines;
}
