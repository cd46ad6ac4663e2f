import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { accessTo, type Credentials } from './access.ts';
import { type Blob, grouped, readContents, readSizes } from './blobs.ts';
import { GitFailure } from './git-failure.ts';
import { type Commit, historyArguments, readHistory } from './history.ts';
import type { GitProgram } from './program.ts';
import { type Ref, readRefs, refFormat } from './refs.ts';
import { checkRefName, isCommitId, type Remote } from './remote.ts';
import { readChanges, readTree, type TreeChange, type TreeEntry } from './tree.ts';

/** Bounds of a mirror. */
export type MirrorBounds = {
  /** Longest time of a fetch, and of any other run, in milliseconds. */
  readonly fetchMs: number;
  readonly readMs: number;
  /** Most bytes that one fetch brings. */
  readonly fetchBytesMax: number;
  /** Most bytes of a file that is read. A server that can is asked to keep larger ones back. */
  readonly fileBytesMax: number;
  /** Most bytes of a list of files. */
  readonly listBytesMax: number;
};

export const mirrorBounds: MirrorBounds = {
  fetchMs: 600_000,
  readMs: 60_000,
  fetchBytesMax: 1_024 * 1_048_576,
  fileBytesMax: 262_144,
  listBytesMax: 64 * 1_048_576,
};

/** Contents are read in groups of so many bytes and objects. */
const groupBytesMax = 8 * 1_048_576;
const groupObjectsMax = 1_000;
/** What git writes about an object beside its content. */
const headerBytes = 128;
const smallBytesMax = 4 * 1_048_576;
const refsShown = 5;

/** A copy of a repository, without a work tree: nothing of it is ever written as a file of its own, or run. */
export class Mirror {
  readonly #git: GitProgram;
  readonly #directory: string;
  readonly #bounds: MirrorBounds;

  /** `directory`: absolute; made when something is fetched. Only one process may fetch into it. */
  constructor(git: GitProgram, directory: string, bounds: MirrorBounds = mirrorBounds) {
    this.#git = git;
    this.#directory = directory;
    this.#bounds = bounds;
  }

  /**
   * Brings all branches and tags. What others remove or replace there is gone here too, but commits that were fetched once stay
   * readable by their ids.
   *
   * @throws GitFailure
   */
  async fetch(remote: Remote, credentials: Credentials, signal: AbortSignal): Promise<void> {
    const access = accessTo(remote, credentials);
    await this.#make(signal);
    const { fileBytesMax, fetchBytesMax, fetchMs } = this.#bounds;
    const filter = `blob:limit=${fileBytesMax + 1}`;
    // Named by settings of this one run: the mirror itself knows no place to get a missing object from.
    const origin = [`remote.origin.url=${remote.url}`, `remote.origin.partialclonefilter=${filter}`];
    await this.#git.run({
      args: [
        'fetch',
        '--quiet',
        '--prune',
        '--no-tags',
        '--no-recurse-submodules',
        '--no-write-fetch-head',
        '--no-auto-maintenance',
        `--filter=${filter}`,
        '--',
        'origin',
        '+refs/heads/*:refs/heads/*',
        '+refs/tags/*:refs/tags/*',
      ],
      gitDir: this.#directory,
      access: { ...access, config: [...access.config, ...origin] },
      timeMs: fetchMs,
      outputBytesMax: smallBytesMax,
      fileBytesMax: fetchBytesMax,
      signal,
    });
  }

  /** The commit that a branch points to. @throws GitFailure `no_branch`. */
  async headOf(branch: string, signal: AbortSignal): Promise<string> {
    checkRefName(branch);
    const commit = await this.#commitOf(`refs/heads/${branch}`, signal);
    if (commit !== undefined) return commit;
    const { branches } = await this.refs(signal);
    const some = branches
      .slice(0, refsShown)
      .map(({ name }) => name)
      .join(', ');
    const others =
      branches.length === 0 ? 'it has none yet' : `it has ${some}${branches.length > refsShown ? ', …' : ''}`;
    throw new GitFailure('no_branch', `there is no branch ${branch}; ${others}`);
  }

  /** The commit of a whole commit id, a branch or a tag; undefined if the mirror holds none. */
  async resolve(revision: string, signal: AbortSignal): Promise<string | undefined> {
    if (isCommitId(revision)) return this.#commitOf(revision, signal);
    checkRefName(revision);
    return (
      (await this.#commitOf(`refs/heads/${revision}`, signal)) ??
      (await this.#commitOf(`refs/tags/${revision}`, signal))
    );
  }

  /** All branches and tags of what was fetched last, by name. */
  async refs(signal: AbortSignal): Promise<{ readonly branches: readonly Ref[]; readonly tags: readonly Ref[] }> {
    if (!existsSync(this.#directory)) return { branches: [], tags: [] };
    const args = ['for-each-ref', `--format=${refFormat}`, 'refs/heads', 'refs/tags'];
    const refs = readRefs(await this.#text(args, signal));
    const below = (prefix: string) =>
      refs
        .filter(({ name }) => name.startsWith(prefix))
        .map((ref) => ({ ...ref, name: ref.name.slice(prefix.length) }));
    return { branches: below('refs/heads/'), tags: below('refs/tags/') };
  }

  /** All files of a commit, as they are read. */
  tree(commit: string, signal: AbortSignal): AsyncIterable<TreeEntry> {
    return readTree(this.#list(['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', commit], signal));
  }

  /** The entry of one path of a commit; undefined if there is none. */
  async entryOf(commit: string, path: string, signal: AbortSignal): Promise<TreeEntry | undefined> {
    const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', '--end-of-options', commit, '--', path];
    for await (const entry of readTree(this.#list(args, signal))) if (entry.path === path) return entry;
    return undefined;
  }

  /** What differs from one commit to another, as it is read. */
  changes(from: string, to: string, signal: AbortSignal): AsyncIterable<TreeChange> {
    const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-ext-diff', '--no-abbrev', '--end-of-options'];
    return readChanges(this.#list([...args, from, to], signal));
  }

  /** Contents of objects, in any order. None that is larger than the bound is read. */
  async *contents(
    objects: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<readonly [string, Blob], void, undefined> {
    const sizes: (readonly [string, number])[] = [];
    for (const { objects: some } of grouped(
      objects.map((object) => [object, 1]),
      objects.length,
      groupObjectsMax,
    )) {
      for (const [object, size] of readSizes(await this.#text(['cat-file', '--batch-check'], signal, lines(some)))) {
        if (size === undefined) yield [object, { kind: 'too_large' }];
        else if (size > this.#bounds.fileBytesMax) yield [object, { kind: 'too_large', bytes: size }];
        else sizes.push([object, size]);
      }
    }
    for (const group of grouped(sizes, groupBytesMax, groupObjectsMax)) {
      const output = await this.#git.run({
        args: ['cat-file', '--batch'],
        gitDir: this.#directory,
        input: lines(group.objects),
        timeMs: this.#bounds.readMs,
        outputBytesMax: group.bytes + group.objects.length * headerBytes,
        signal,
      });
      for (const [object, bytes] of readContents(output)) yield [object, { kind: 'content', bytes }];
    }
  }

  /** The latest commits of a commit's past that changed one of these paths, the newest first. */
  async history(
    commit: string,
    paths: readonly string[],
    limit: number,
    signal: AbortSignal,
  ): Promise<readonly Commit[]> {
    const args = ['--literal-pathspecs', 'log', ...historyArguments(limit), '--end-of-options', commit, '--', ...paths];
    return readHistory(await this.#text(args, signal));
  }

  /** What differs from one file to another: the lines of a unified diff, from its first `@@` on. */
  async patch(from: string, to: string, signal: AbortSignal): Promise<string> {
    const args = ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--text', '--end-of-options', from, to];
    const output = await this.#text(args, signal);
    const start = output.indexOf('\n@@ ');
    return start === -1 ? '' : output.slice(start + 1);
  }

  async #commitOf(revision: string, signal: AbortSignal): Promise<string | undefined> {
    if (!existsSync(this.#directory)) return undefined;
    const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)'];
    const [object = '', type] = (await this.#text(args, signal, `${revision}^{commit}\n`)).trim().split(' ');
    return type === 'commit' && isCommitId(object) ? object : undefined;
  }

  async #make(signal: AbortSignal): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    if (!existsSync(join(this.#directory, 'HEAD'))) {
      const args = ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', '--', this.#directory];
      await this.#git.run({ args, timeMs: this.#bounds.readMs, outputBytesMax: smallBytesMax, signal });
    }
    await this.#removeLeftovers();
  }

  /** A fetch that was ended leaves what it had brought, and its locks. Nobody else fetches into this mirror. */
  async #removeLeftovers(): Promise<void> {
    const packs = join(this.#directory, 'objects', 'pack');
    const names = existsSync(packs) ? await readdir(packs) : [];
    for (const name of names) if (name.startsWith('tmp_')) await rm(join(packs, name), { force: true });
    const refs = join(this.#directory, 'refs');
    const locks = [
      ...(await readdir(this.#directory)).map((name) => join(this.#directory, name)),
      ...(existsSync(refs) ? await readdir(refs, { recursive: true }) : []).map((name) => join(refs, name)),
    ];
    for (const path of locks) if (path.endsWith('.lock')) await rm(path, { force: true });
  }

  async #text(args: readonly string[], signal: AbortSignal, input?: string): Promise<string> {
    const output = await this.#git.run({
      args,
      gitDir: this.#directory,
      ...(input === undefined ? {} : { input }),
      timeMs: this.#bounds.readMs,
      outputBytesMax: smallBytesMax,
      signal,
    });
    return output.toString('utf8');
  }

  #list(args: readonly string[], signal: AbortSignal): AsyncIterable<Buffer> {
    const { readMs, listBytesMax } = this.#bounds;
    return this.#git.stream({ args, gitDir: this.#directory, timeMs: readMs, outputBytesMax: listBytesMax, signal });
  }
}

const lines = (texts: readonly string[]) => texts.map((text) => `${text}\n`).join('');
