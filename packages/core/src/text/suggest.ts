/** Edits that may lie between what was written and what was meant, per letters of the longer word. */
const LETTERS_PER_EDIT = 3;

/**
 * Finds the known word closest to what was written, or undefined when none is near enough to be worth naming.
 * `mcpServers` and `mcp-servers` count as `mcp_servers` written differently.
 */
export function suggest(written: string, known: readonly string[]): string | undefined {
  const bare = (word: string) => word.toLowerCase().replace(/[^a-z0-9]/g, '');
  let best: { readonly word: string; readonly edits: number } | undefined;
  for (const word of known) {
    const [from, to] = [bare(written), bare(word)];
    const edits = editsBetween(from, to);
    const allowed = Math.max(1, Math.floor(Math.max(from.length, to.length) / LETTERS_PER_EDIT));
    if (edits <= allowed && (best === undefined || edits < best.edits)) best = { word, edits };
  }
  return best?.word;
}

/** The number of letters to insert, remove, replace or swap with their neighbour to get from one word to the other. */
function editsBetween(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let edits = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) edits = Math.min(edits, (beforeLast[column - 2] ?? 0) + 1);
      current.push(edits);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
