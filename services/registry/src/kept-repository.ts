import { setMaxListeners } from 'node:events';
import type { RepositoryAuth } from '@stopgo/core';
import type { DefinitionPorts } from '@stopgo/log';
import type { Secret } from '@stopgo/rpc';
import { type Logger, messageOf } from '@stopgo/runtime';
import type { Credentials } from './git/access.ts';
import { GitFailure } from './git/git-failure.ts';
import type { Mirror } from './git/mirror.ts';
import { type Remote, remoteOf } from './git/remote.ts';
import { isOfWorkTree, WorkTree } from './git/work-tree.ts';
import { type AgentOfFile, type OfferedAgents, offeredBy } from './offered.ts';
import { TooManyFiles } from './sync/plan.ts';
import { RepositoryRecord } from './sync/repository-record.ts';
import { type Synced, syncRepository } from './sync/sync-repository.ts';

/** A repository as it is to be kept. */
export type RepositoryOptions = {
  readonly name: string;
  readonly gitUrl: string;
  readonly branch: string;
  /** Its agents have no namespace; else the name of the repository stands before theirs. */
  readonly isRoot: boolean;
  /** It is synced; else what is on the record of it is neither brought up to date nor offered. */
  readonly isActive: boolean;
  readonly syncIntervalMs: number;
  readonly authType: RepositoryAuth;
  /** The configuration has it, and it alone can change it; else somebody has listed it. */
  readonly isConfigured: boolean;
  /** Files are taken as they lie in its folder, committed or not; else from its branch. */
  readonly isWorkTree?: boolean;
  /** Proves the webhooks of its host; absent: none are taken. */
  readonly webhookSecret?: Secret;
  /** Asked at each sync. @throws GitFailure */
  readonly credentials: () => Credentials;
};

export type KeptRepositoryPorts = {
  readonly definitions: DefinitionPorts;
  readonly mirror: Mirror;
  readonly folders: readonly string[];
  /** Judges where a repository is that somebody has listed. @throws GitFailure */
  readonly reach: (remote: Remote) => Remote | Promise<Remote>;
  readonly model: string;
  readonly turnsMax: number;
  /** The name of the configured agent, which no other agent has. */
  readonly reservedName?: string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
};

/** First and longest pause before a sync is tried again that failed, in milliseconds. */
const pauseFirstMs = 5_000;
const pauseMostMs = 900_000;

/** How soon after a fetch for a name that was not there the next is made for one, in milliseconds. */
const fetchAgainMs = 10_000;

/** One repository: synced at its interval and when it is asked for, by one sync at a time. */
export class KeptRepository {
  readonly options: RepositoryOptions;
  readonly record: RepositoryRecord;
  readonly mirror: Mirror;
  readonly #ports: KeptRepositoryPorts;
  readonly #workTree: WorkTree | undefined;
  readonly #stopping = new AbortController();
  readonly #running: Promise<unknown>[] = [];
  /** Aborts when the next sync is not to wait any longer. */
  #pause = new AbortController();
  #isAsked = false;
  #syncing: Promise<Synced> | undefined;
  #fetchedFor = -fetchAgainMs;
  /** Why the commit of the record could not be fetched, and when. */
  #failed: { readonly at: number; readonly failure: unknown } | undefined;
  #offered: { readonly revision: number; readonly offered: OfferedAgents } | undefined;

  constructor(options: RepositoryOptions, ports: KeptRepositoryPorts) {
    this.options = options;
    this.#ports = ports;
    // Many appends at once listen for the end.
    setMaxListeners(0, this.#stopping.signal);
    this.mirror = ports.mirror;
    this.#workTree = options.isWorkTree === true ? new WorkTree() : undefined;
    this.record = new RepositoryRecord(ports.definitions, options.name);
  }

  /** Reads the record and begins to keep up. @throws the signal's reason when it aborts. */
  async start(signal: AbortSignal): Promise<void> {
    const { name, gitUrl, branch, isRoot, isActive } = this.options;
    await this.record.load(signal);
    await this.record.declare(name, { gitUrl, branch, isRoot }, signal);
    this.#running.push(this.record.follow(this.#stopping.signal));
    if (isActive) this.#running.push(this.#syncAgainAndAgain());
  }

  /** Ends what is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the registry ends'));
    await Promise.allSettled([...this.#running, this.#syncing]);
  }

  get isSyncing(): boolean {
    return this.#syncing !== undefined;
  }

  /** What others say before the names of its agents; absent: nothing. */
  get namespace(): string | undefined {
    return this.options.isRoot ? undefined : this.options.name;
  }

  /** What git knows the state of the record by: of a folder's files as they lie there that is the branch. */
  get revision(): string {
    const { commit, source } = this.record.state;
    return isOfWorkTree(commit) ? source.branch : commit;
  }

  /**
   * The commit of a whole commit id, a branch or a tag; undefined if there is none. The branch that agents are taken from is where the record says, also if
   * another replica has recorded that. What the mirror lacks is fetched first; another name only with `mayFetch`, and every 10 s at most.
   *
   * @throws GitFailure if the commit of the record cannot be fetched; the same one for 10 s, in which its host is left alone.
   */
  async commitOf(revision: string, mayFetch: boolean, signal: AbortSignal): Promise<string | undefined> {
    const known = await this.#mirrored(revision, signal);
    if (known !== undefined || !this.options.isActive) return known;
    const isOfRecord = this.#isOfRecord(revision);
    const now = this.#ports.definitions.clock.monotonic();
    if (!isOfRecord && (!mayFetch || now - this.#fetchedFor < fetchAgainMs)) return undefined;
    if (isOfRecord && this.#failed !== undefined && now - this.#failed.at < fetchAgainMs) throw this.#failed.failure;
    this.#fetchedFor = now;
    const failure = await this.sync().then(
      () => undefined,
      (error: unknown) => error,
    );
    const fetched = await this.#mirrored(revision, signal);
    if (fetched !== undefined || !isOfRecord || failure === undefined) return fetched;
    this.#failed = { at: now, failure };
    throw failure;
  }

  #isOfRecord(revision: string): boolean {
    const { commit, source } = this.record.state;
    return revision === commit || (revision === source.branch && commit !== '' && !isOfWorkTree(commit));
  }

  #mirrored(revision: string, signal: AbortSignal): Promise<string | undefined> {
    return this.mirror.resolve(this.#isOfRecord(revision) ? this.record.state.commit : revision, signal);
  }

  /** Its agents by name, and its errors by file. */
  offered(): OfferedAgents {
    const { state } = this.record;
    if (this.#offered?.revision !== state.revision)
      this.#offered = { revision: state.revision, offered: offeredBy(state, this.#ports.reservedName) };
    return this.#offered.offered;
  }

  /** An agent by its whole name, with the namespace. */
  find(name: string): AgentOfFile | undefined {
    return this.options.isActive ? this.offered().agents.get(name) : undefined;
  }

  /** Syncs now, or waits for the sync that is under way and begins another: that one may have fetched before. */
  async sync(): Promise<Synced> {
    await this.#syncing?.catch(() => undefined);
    return this.#once();
  }

  /** Has a sync begin, or follow on the one that is under way. What comes of it is logged and put on the record. */
  syncSoon(): void {
    this.#isAsked = true;
    this.#pause.abort();
  }

  #once(): Promise<Synced> {
    this.#syncing ??= this.#sync().finally(() => {
      this.#syncing = undefined;
    });
    return this.#syncing;
  }

  async #sync(): Promise<Synced> {
    const { definitions, folders, reach, model, turnsMax } = this.#ports;
    const { gitUrl, credentials, isConfigured } = this.options;
    const { namespace } = this;
    const remote = () => remoteOf(gitUrl, folders);
    const synced = await syncRepository(
      {
        ...{ definitions, record: this.record, mirror: this.#workTree ?? this.mirror, credentials },
        remote: () => (isConfigured ? remote() : reach(remote())),
        surroundings: { model, turnsMax, ...(namespace === undefined ? {} : { namespace }) },
      },
      this.#stopping.signal,
    );
    // A folder may be no repository: then there is no history to show. A commit may change no file.
    if (this.#workTree !== undefined)
      await this.mirror.fetch(remote(), { type: 'none' }, this.#stopping.signal).catch(() => undefined);
    return synced;
  }

  async #syncAgainAndAgain(): Promise<void> {
    const { signal } = this.#stopping;
    const { clock, random } = this.#ports.definitions;
    for (let failures = 0; !signal.aborted; ) {
      this.#isAsked = false;
      failures = (await this.#isSynced()) ? 0 : failures + 1;
      const pauseMs =
        failures === 0 ? this.options.syncIntervalMs : Math.min(pauseFirstMs * 2 ** (failures - 1), pauseMostMs);
      if (this.#isAsked) continue;
      this.#pause = new AbortController();
      // Not all replicas at the same moment.
      const pause = AbortSignal.any([signal, this.#pause.signal]);
      await clock.sleep(pauseMs * (0.9 + random() / 5), pause).catch(() => undefined);
    }
  }

  /** Says in one line what came of it, when that differs from the last time. */
  async #isSynced(): Promise<boolean> {
    const { log } = this.#ports;
    const { name } = this.options;
    const before = this.record.state.failure?.message;
    try {
      const { kind, commit, filesChanged } = await this.#once();
      if (kind === 'synced')
        log.info(
          `agent repository ${name}: synced at ${commit.slice(0, 12)}, files with agents that changed: ${filesChanged}, agents: ${this.offered().agents.size}, files with errors: ${this.offered().errors.length}`,
        );
      return true;
    } catch (error) {
      if (this.#stopping.signal.aborted) return false;
      const isKnown = error instanceof GitFailure || error instanceof TooManyFiles;
      if (!isKnown || before !== error.message || !this.#hasWarned)
        log.warn(
          `agent repository ${name} cannot be synced and is tried again; the agents that are known stay usable: ${messageOf(error)}`,
        );
      this.#hasWarned = true;
      return false;
    }
  }

  #hasWarned = false;
}
