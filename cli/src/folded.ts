/** A terminal with fewer columns is folded for as if it had these: a row needs room behind what it begins with. */
const columnsMin = 10;
/** Columns of a terminal that does not tell how many it has. */
const columnsUnknown = 80;
/** What a row that goes on a line of ours begins with: no line of ours begins so. */
const goesOn = '  … ';
/** Characters at the beginning of a line that tell whether it is one of a block. */
const headMax = 16;

type Stream = { readonly isTTY?: boolean; readonly columns?: number };

/** Columns of the terminal that a stream is, 0 where it does not tell; undefined if it is none. */
export function columnsOf({ isTTY, columns = 0 }: Stream): number | undefined {
  return isTTY === true ? columns : undefined;
}

/**
 * Folds lines at the width of a terminal, which would do so without a mark: a text from outside that is padded to that width could put
 * rows of its own beside ours (decision 0041). A row that goes on a block begins as the block does. Text may come in pieces, and the
 * terminal may change its width between them.
 */
export class Folded {
  readonly #columns: () => number | undefined;
  #head = '';
  #column = 0;

  /** `columns`: of the terminal now, as `columnsOf` tells; undefined where there is none, and nothing is folded. */
  constructor(columns: () => number | undefined) {
    this.#columns = columns;
  }

  /** The text as it is to be written. */
  folded(text: string): string {
    const columns = this.#columnsNow();
    let written = '';
    for (const character of text) {
      if (character === '\n') {
        [this.#head, this.#column] = ['', 0];
        written += character;
        continue;
      }
      const width = widthOf(character);
      if (this.#column + width > columns) {
        const prefix = /^ *\| /.exec(this.#head)?.[0] ?? goesOn;
        written += `\n${prefix}`;
        this.#column = Array.from(prefix, widthOf).reduce((sum, one) => sum + one, 0);
      }
      written += character;
      this.#column += width;
      if (this.#head.length < headMax) this.#head += character;
    }
    return written;
  }

  #columnsNow(): number {
    const columns = this.#columns();
    if (columns === undefined) return Number.POSITIVE_INFINITY;
    return columns > 0 ? Math.max(columns, columnsMin) : columnsUnknown;
  }
}

/** At most so many columns, whatever the terminal makes of `…` or an emoji: what is folded too early is only less even. */
function widthOf(character: string): number {
  if (character === '\t') return 8;
  return character <= '~' ? 1 : 2;
}
