/** A file of a commit. */
export type TreeEntry = {
  /** From the root of the repository, with slashes. Bytes that are no UTF-8 stand as U+FFFD. */
  readonly path: string;
  readonly kind: EntryKind;
  /** Id of its content. */
  readonly object: string;
};

/** Links and submodules are told apart so that they can be reported: neither is ever followed. */
export type EntryKind = 'file' | 'symlink' | 'submodule';

/** What became of a path from one commit to another. `entry` is missing where it is gone. */
export type TreeChange = { readonly path: string; readonly entry?: TreeEntry };

const nul = 0;
const tab = 0x09;
/** Longest piece of output between two zero bytes: a path of git's own bound, and what stands before it. */
const pieceBytesMax = 8_192;

/** Entries as `git ls-tree -r -z` writes them. */
export async function* readTree(output: AsyncIterable<Buffer>): AsyncGenerator<TreeEntry, void, undefined> {
  for await (const piece of pieces(output)) {
    const end = piece.indexOf(tab);
    const [mode = '', , object = ''] = piece.toString('latin1', 0, end).split(' ');
    yield { path: piece.toString('utf8', end + 1), kind: kindOf(mode), object };
  }
}

/** Changes as `git diff-tree -r -z --raw --no-renames` writes them. */
export async function* readChanges(output: AsyncIterable<Buffer>): AsyncGenerator<TreeChange, void, undefined> {
  let before: readonly string[] | undefined;
  for await (const piece of pieces(output)) {
    if (before === undefined) {
      before = piece.toString('latin1').split(' ');
      continue;
    }
    const [, mode = '', , object = '', status = ''] = before;
    const path = piece.toString('utf8');
    before = undefined;
    yield status.startsWith('D') ? { path } : { path, entry: { path, kind: kindOf(mode), object } };
  }
}

function kindOf(mode: string): EntryKind {
  if (mode === '120000') return 'symlink';
  return mode === '160000' ? 'submodule' : 'file';
}

async function* pieces(output: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of output) {
    let data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = data.indexOf(nul); end !== -1; end = data.indexOf(nul)) {
      if (end > 0) yield data.subarray(0, end);
      data = data.subarray(end + 1);
    }
    if (data.length > pieceBytesMax) throw new Error(`git wrote a path of more than ${pieceBytesMax} bytes`);
    rest = Buffer.from(data);
  }
}
