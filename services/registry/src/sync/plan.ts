import { nameOfPath, type Surroundings } from '@stopgo/agent-files';
import type { AgentRepository, KnownFile } from '@stopgo/core';
import type { Blob } from '../git/blobs.ts';
import type { TreeChange, TreeEntry } from '../git/tree.ts';
import { fileError, type ReadFile, readFile } from './read-file.ts';

/** Files whose contents are held at once. */
const readAtOnce = 200;

/** Most files of a repository that hold an agent or errors. */
export const agentFilesMax = 10_000;

/** What a commit holds, as git tells it. */
export type Told =
  /** What differs from the commit that was synced last. */
  | { readonly kind: 'changes'; readonly changes: AsyncIterable<TreeChange> }
  /** All files, where it is not known what differs. */
  | { readonly kind: 'whole'; readonly entries: AsyncIterable<TreeEntry> };

/** Contents by object. */
export type ReadContents = (objects: readonly string[]) => AsyncIterable<readonly [string, Blob]>;

/** A repository that has more agent files than are taken. */
export class TooManyFiles extends Error {
  override readonly name = 'TooManyFiles';

  constructor() {
    super(`the repository has more than ${agentFilesMax} agent files; part it`);
  }
}

/**
 * What is to be recorded of a commit: the files that hold something else than is known of them, gone ones with neither agent nor
 * errors. No file is held longer than it takes to read it. One that cannot be read is reported, and harms no other.
 *
 * @throws TooManyFiles; what reading throws.
 */
export async function* planSync(
  known: Pick<AgentRepository, 'files'>,
  told: Told,
  contents: ReadContents,
  surroundings: Surroundings,
): AsyncGenerator<ReadFile, void, undefined> {
  const counted = new CountedFiles(known);
  const seen = new Set<string>();
  let waiting: TreeEntry[] = [];
  for await (const { path, entry } of changesOf(told)) {
    if (entry === undefined) yield* counted.differing({ path, errors: [] });
    else if (entry.kind !== 'file') yield* counted.differing(reported(entry));
    else if (mayHoldAgent(path)) waiting.push(entry);
    else yield* counted.differing({ path, errors: [] });
    if (told.kind === 'whole' && known.files.has(path)) seen.add(path);
    if (waiting.length < readAtOnce) continue;
    yield* readAll(waiting, contents, surroundings, counted);
    waiting = [];
  }
  yield* readAll(waiting, contents, surroundings, counted);
  if (told.kind === 'changes') return;
  for (const path of known.files.keys()) if (!seen.has(path)) yield* counted.differing({ path, errors: [] });
}

async function* changesOf(told: Told): AsyncGenerator<TreeChange, void, undefined> {
  if (told.kind === 'changes') yield* told.changes;
  else for await (const entry of told.entries) yield { path: entry.path, entry };
}

async function* readAll(
  entries: readonly TreeEntry[],
  contents: ReadContents,
  surroundings: Surroundings,
  counted: CountedFiles,
): AsyncGenerator<ReadFile, void, undefined> {
  if (entries.length === 0) return;
  const pathsOf = new Map<string, string[]>();
  for (const { path, object } of entries) pathsOf.set(object, [...(pathsOf.get(object) ?? []), path]);
  for await (const [object, blob] of contents([...pathsOf.keys()]))
    for (const path of pathsOf.get(object) ?? []) yield* counted.differing(readFile(path, blob, surroundings));
}

/** Links and submodules are never followed. Whoever has put one where an agent would be is told so. */
function reported({ path, kind }: TreeEntry): ReadFile {
  if (kind === 'submodule')
    return { path, errors: [fileError('submodule', 'a submodule is not followed; add its repository by itself')] };
  if (!mayHoldAgent(path)) return { path, errors: [] };
  return { path, errors: [fileError('symlink', 'a symbolic link is not followed; put the file itself there')] };
}

const mayHoldAgent = (path: string): boolean => nameOfPath(path).kind !== 'none';

/** Tells what differs from what is known, and counts what there will be. */
class CountedFiles {
  readonly #known: Pick<AgentRepository, 'files'>;
  #count: number;

  constructor(known: Pick<AgentRepository, 'files'>) {
    this.#known = known;
    this.#count = known.files.size;
  }

  *differing(file: ReadFile): Generator<ReadFile, void, undefined> {
    const before = this.#known.files.get(file.path);
    const holds = file.agent !== undefined || file.errors.length > 0;
    if (before === undefined ? !holds : isSameFile(before, file)) return;
    if (before === undefined) this.#count += 1;
    if (!holds) this.#count -= 1;
    if (this.#count > agentFilesMax) throw new TooManyFiles();
    yield file;
  }
}

/** True if both files hold the same. */
function isSameFile(one: KnownFile, other: ReadFile): boolean {
  return JSON.stringify([one.agent, one.errors]) === JSON.stringify([other.agent, other.errors]);
}
