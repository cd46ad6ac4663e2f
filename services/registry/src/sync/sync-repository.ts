import type { Surroundings } from '@stopgo/agent-files';
import { type AgentRepository, agentStream, fact, sha256Hex } from '@stopgo/core';
import { type DefinitionPorts, recordDefinition } from '@stopgo/log';
import type { Credentials } from '../git/access.ts';
import { GitFailure } from '../git/git-failure.ts';
import type { Mirror } from '../git/mirror.ts';
import type { Remote } from '../git/remote.ts';
import { SyncParts } from './parts.ts';
import { planSync, type Told, TooManyFiles } from './plan.ts';
import type { ReadFile } from './read-file.ts';
import type { RepositoryRecord } from './repository-record.ts';

/** How files are read: another number has all of them read again. */
const readerVersion = 3;

/** Definitions that are put on the record at once. */
const definitionsAtOnce = 16;

/** Times that a commit is planned anew because another process has recorded something. */
const attemptsMax = 5;

/** Where files are taken from: a mirror, or a folder, which does not know what differs from a state before. */
export type SyncSource = Pick<Mirror, 'fetch' | 'headOf' | 'tree' | 'contents'> &
  Partial<Pick<Mirror, 'resolve' | 'changes'>>;

export type SyncPorts = {
  readonly definitions: DefinitionPorts;
  readonly record: RepositoryRecord;
  readonly mirror: SyncSource;
  /** Checked each time, since folders and what links say come and go. @throws GitFailure */
  readonly remote: () => Remote | Promise<Remote>;
  readonly credentials: () => Credentials;
  readonly surroundings: Surroundings;
};

/** What came of a sync. `unchanged`: the record said all of it already. */
export type Synced = { readonly kind: 'synced' | 'unchanged'; readonly commit: string; readonly filesChanged: number };

/**
 * Fetches a repository and puts on the record what its branch holds now. Definitions are recorded before the event that names them.
 * Another process may do the same: the log takes one, and the other finds nothing left to do.
 *
 * @throws GitFailure or TooManyFiles, which is on the record then; the signal's reason when it aborts.
 */
export async function syncRepository(ports: SyncPorts, signal: AbortSignal): Promise<Synced> {
  try {
    const { mirror, record } = ports;
    const credentials = ports.credentials();
    try {
      await mirror.fetch(await ports.remote(), credentials, signal);
    } finally {
      if (credentials.type === 'ssh_key') credentials.forget?.();
    }
    const commit = await mirror.headOf(record.state.source.branch, signal);
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const synced = await recordCommit(ports, commit, signal);
      if (synced !== undefined) return synced;
    }
    throw new GitFailure('other', 'other processes record other commits of this repository again and again');
  } catch (error) {
    if (error instanceof GitFailure || error instanceof TooManyFiles) await recordFailure(ports, error, signal);
    throw error;
  }
}

/** Undefined if another process has recorded something in between. */
async function recordCommit(ports: SyncPorts, commit: string, signal: AbortSignal): Promise<Synced | undefined> {
  const { record, mirror, surroundings } = ports;
  let known = record.state;
  const { branch } = known.source;
  const reader = readerOf(surroundings);
  if (isSynced(known, commit, reader) && known.failure === undefined)
    return { kind: 'unchanged', commit, filesChanged: 0 };
  const parts = new SyncParts({ branch, commit, reader });
  const contents = (objects: readonly string[]) => mirror.contents(objects, signal);
  const recording = new Definitions(ports.definitions, signal);
  let filesChanged = 0;
  const plan = isSynced(known, commit, reader)
    ? []
    : planSync(known, await toldOf(ports, known, commit, reader, signal), contents, surroundings);
  for await (const file of plan) {
    filesChanged += 1;
    await recording.add(file);
    const full = parts.add(file);
    if (full === undefined) continue;
    await recording.end();
    if (!(await record.append(known, full, signal))) return undefined;
    known = { ...known, revision: known.revision + full.length };
  }
  await recording.end();
  return (await record.append(known, parts.end(), signal)) ? { kind: 'synced', commit, filesChanged } : undefined;
}

const isSynced = (known: AgentRepository, commit: string, reader: string): boolean =>
  known.commit === commit && known.reader === reader;

/** Only what differs, if it is known what was there before, and the mirror still has it. */
async function toldOf(
  { mirror }: SyncPorts,
  known: AgentRepository,
  commit: string,
  reader: string,
  signal: AbortSignal,
): Promise<Told> {
  const isKnown = known.commit !== '' && known.reader === reader;
  if (isKnown && mirror.changes !== undefined && (await mirror.resolve?.(known.commit, signal)) !== undefined)
    return { kind: 'changes', changes: mirror.changes(known.commit, commit, signal) };
  return { kind: 'whole', entries: mirror.tree(commit, signal) };
}

/** Everything beside a file that decides what is recorded of it. */
const readerOf = ({ namespace = '', model, turnsMax = 0 }: Surroundings): string =>
  sha256Hex(JSON.stringify([readerVersion, namespace, model, turnsMax])).slice(0, 16);

/** Once, until something changes: a server that is away for a week is one event. */
async function recordFailure(ports: SyncPorts, error: GitFailure | TooManyFiles, signal: AbortSignal): Promise<void> {
  const { record } = ports;
  const { message } = error;
  const kind = error instanceof GitFailure ? error.kind : 'too_many_files';
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const known = record.state;
    if (known.failure?.kind === kind && known.failure.message === message) return;
    if (await record.append(known, [fact('repositorySyncFailed', { message, kind })], signal)) return;
  }
}

/** Puts definitions on the record, some at once. */
class Definitions {
  readonly #ports: DefinitionPorts;
  readonly #signal: AbortSignal;
  #open: Promise<void>[] = [];

  constructor(ports: DefinitionPorts, signal: AbortSignal) {
    this.#ports = ports;
    this.#signal = signal;
  }

  async add({ defined }: ReadFile): Promise<void> {
    if (defined === undefined) return;
    const definition = fact('agentDefined', defined);
    const recording = recordDefinition(this.#ports, agentStream(defined.digest), definition, this.#signal);
    // What comes of it is asked for at the end, which is not reached where something else fails before.
    recording.catch(() => undefined);
    this.#open.push(recording);
    if (this.#open.length >= definitionsAtOnce) await this.end();
  }

  async end(): Promise<void> {
    const open = this.#open;
    this.#open = [];
    await Promise.all(open);
  }
}
