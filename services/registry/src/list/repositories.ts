import {
  type Actor,
  checkNewRepository,
  checkSyncInterval,
  emptyRepositoryList,
  evolveRepositoryList,
  fact,
  failedPrecondition,
  invalidArgument,
  type ListedRepository,
  type RepositoryAuth,
  type RepositoryList,
  repositoryListStream,
  requireListed,
} from '@stopgo/core';
import type { DefinitionPorts } from '@stopgo/log';
import type { Secret } from '@stopgo/rpc';
import { describeError, type Logger } from '@stopgo/runtime';
import { GitFailure } from '../git/git-failure.ts';
import { refusePrivateHost } from '../git/public-remote.ts';
import { checkRefName, remoteOf } from '../git/remote.ts';
import type { KeptRepository, RepositoryOptions } from '../kept-repository.ts';
import { FollowedStream } from '../sync/followed-stream.ts';
import { RepositoryRecord } from '../sync/repository-record.ts';
import { optionsOf, type SecretPorts } from './options.ts';
import { checkCredentials, checkWebhookSecret, placeOf } from './secrets.ts';

export type RepositoriesPorts = {
  readonly definitions: DefinitionPorts;
  /** Folders at and below which repositories of this machine may be. */
  readonly folders: readonly string[];
  /** Repositories that are listed may be on this machine and in private networks. */
  readonly allowPrivate: boolean;
  readonly secrets: SecretPorts;
  /** Makes what keeps a repository, and removes the mirror of one. */
  readonly keep: (options: RepositoryOptions) => KeptRepository;
  readonly removeMirror: (options: RepositoryOptions) => Promise<void>;
  /** Removes the mirrors of all others than these. */
  readonly removeOtherMirrors: (kept: readonly MirroredRepository[]) => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
};

/** What tells a mirror from others. */
export type MirroredRepository = Pick<RepositoryOptions, 'name' | 'gitUrl'>;

/** How a repository is to be kept; what is absent stays as it is. */
export type RepositoryChange = {
  readonly branch?: string | undefined;
  readonly syncIntervalMs?: number | undefined;
  readonly isActive?: boolean | undefined;
  readonly authType?: RepositoryAuth | undefined;
  readonly credentials?: Secret | undefined;
  /** null: webhooks are not taken any more. */
  readonly webhookSecret?: Secret | null | undefined;
};

export type NewRepository = RepositoryChange & {
  readonly name: string;
  readonly gitUrl: string;
  readonly isRoot: boolean;
};

type Kept = { readonly revision: number; readonly repository: KeptRepository };

/** All repositories: those of the configuration, and those that people have listed. */
export class Repositories {
  readonly #ports: RepositoriesPorts;
  readonly #configured: readonly KeptRepository[];
  readonly #names: ReadonlySet<string>;
  readonly #list: FollowedStream<RepositoryList>;
  readonly #listed = new Map<string, Kept>();
  readonly #stopping = new AbortController();
  #following: Promise<void> = Promise.resolve();
  #adapting: Promise<void> = Promise.resolve();

  constructor(configured: readonly RepositoryOptions[], ports: RepositoriesPorts) {
    this.#ports = ports;
    this.#configured = configured.map(ports.keep);
    this.#names = new Set(configured.map(({ name }) => name));
    this.#list = new FollowedStream<RepositoryList>(ports.definitions, {
      ...{ stream: repositoryListStream, initial: emptyRepositoryList, evolve: evolveRepositoryList },
      onChange: () => void this.#adapt(),
    });
  }

  /** Those of the configuration first. */
  all(): readonly KeptRepository[] {
    return [...this.#configured, ...[...this.#listed.values()].map(({ repository }) => repository)];
  }

  /** Reads the records and begins to keep up. @throws the signal's reason when it aborts. */
  async start(signal: AbortSignal): Promise<void> {
    for (const repository of this.#configured) await repository.start(signal);
    await this.#list.load(signal);
    await this.#adapt();
    // Before anything is added, which could be one of these again.
    await this.#ports.removeOtherMirrors(this.#mirrored()).catch((error: unknown) => this.#sayWhy(error));
    this.#following = this.#list.follow(this.#stopping.signal);
  }

  /** Ends what is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the registry ends'));
    await Promise.all([this.#following, this.#adapting]);
    await Promise.all(this.all().map((one) => one.stop()));
  }

  /** Has a repository kept from now on. @throws DomainError */
  async add(wanted: NewRepository, actor: Actor, signal: AbortSignal): Promise<KeptRepository> {
    const { name, gitUrl, isRoot, branch = 'main', syncIntervalMs = 300_000, isActive = true } = wanted;
    const isNew = (list: RepositoryList) => checkNewRepository(list, name, this.#names);
    const { allowPrivate, folders } = this.#ports;
    if (!allowPrivate) ofAddress(() => refusePrivateHost(remoteOf(gitUrl, folders)));
    const record = new RepositoryRecord(this.#ports.definitions, name);
    // What one of this name held before is nothing of this one. The record is read before the list: what somebody else who adds this name
    // has recorded since is not taken back, as it follows on their listing.
    do {
      await record.load(signal);
      await this.#list.load(signal);
      isNew(this.#list.state);
    } while (!(await record.removeAsKnown(signal)));
    const bare: ListedRepository = {
      ...{ name, source: { gitUrl, branch, isRoot }, syncIntervalMs, isActive, authType: 'none', keyId: '' },
      ...{ sealedCredentials: new Uint8Array(), sealedWebhookSecret: new Uint8Array(), revision: 0 },
    };
    await this.#append(
      (list) => {
        isNew(list);
        return this.#changed(bare, wanted);
      },
      { signal, actor },
    );
    return this.#kept(name);
  }

  /** Has a repository kept otherwise. @throws DomainError */
  async change(name: string, change: RepositoryChange, actor: Actor, signal: AbortSignal): Promise<KeptRepository> {
    await this.#list.load(signal);
    await this.#append(
      (list) => {
        const before = requireListed(list, name, this.#names);
        const after = this.#changed(before, change);
        const isSame = JSON.stringify(after) === JSON.stringify(before);
        return isSame ? undefined : after;
      },
      { signal, actor },
    );
    return this.#kept(name);
  }

  /** Has a repository not kept any more: none of its agents are found from now on. @throws DomainError */
  async remove(name: string, actor: Actor, signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#list.load(signal);
      const { state } = this.#list;
      requireListed(state, name, this.#names);
      if (await this.#list.append(state, [fact('repositoryUnlisted', { name })], signal, actor)) break;
    }
    await this.#adapt();
    const record = new RepositoryRecord(this.#ports.definitions, name);
    await record.load(signal);
    await record.remove(signal);
  }

  async #append(
    decide: (list: RepositoryList) => ListedRepository | undefined,
    { signal, actor }: { readonly signal: AbortSignal; readonly actor: Actor },
  ): Promise<void> {
    for (;;) {
      const { state } = this.#list;
      const listed = decide(state);
      if (listed === undefined) return;
      const { revision: _, ...said } = listed;
      if (await this.#list.append(state, [fact('repositoryListed', said)], signal, actor)) break;
    }
    await this.#adapt();
  }

  /** @throws DomainError for what cannot be; no message repeats a secret. */
  #changed(before: ListedRepository, change: RepositoryChange): ListedRepository {
    const { branch, syncIntervalMs = before.syncIntervalMs, isActive = before.isActive, webhookSecret } = change;
    const { name } = before;
    const source = { ...before.source, ...(branch === undefined ? {} : { branch }) };
    const authType = change.authType ?? before.authType;
    checkSyncInterval(syncIntervalMs);
    ofAddress(() => {
      checkRefName(source.branch);
      checkProtocol(remoteOf(source.gitUrl, this.#ports.folders).protocol, authType);
    });
    const sealed = (text: string, kind: 'credentials' | 'webhook_secret'): Uint8Array =>
      this.#sealer().seal(text, placeOf({ name, gitUrl: source.gitUrl }, kind));
    const isAuthSame = change.authType === undefined && change.credentials === undefined;
    const credentials = isAuthSame ? undefined : checkCredentials(authType, change.credentials);
    const isSealed = credentials !== undefined || Boolean(webhookSecret);
    if (isSealed) this.#insistOnOneKey(before, { isAuthSame, isHookSame: webhookSecret === undefined });
    return {
      ...{ ...before, source, syncIntervalMs, isActive, authType },
      ...(isAuthSame
        ? {}
        : { sealedCredentials: credentials === undefined ? new Uint8Array() : sealed(credentials, 'credentials') }),
      ...(webhookSecret === undefined
        ? {}
        : {
            sealedWebhookSecret:
              webhookSecret === null ? new Uint8Array() : sealed(checkWebhookSecret(webhookSecret), 'webhook_secret'),
          }),
      ...(isSealed ? { keyId: this.#sealer().keyId } : {}),
    };
  }

  /** The record names one key for all that is sealed. @throws DomainError if something stays that is sealed with another one. */
  #insistOnOneKey(
    { name, keyId, sealedCredentials, sealedWebhookSecret }: ListedRepository,
    { isAuthSame, isHookSame }: { readonly isAuthSame: boolean; readonly isHookSame: boolean },
  ): void {
    if (keyId === '' || keyId === this.#sealer().keyId) return;
    const other =
      isAuthSame && sealedCredentials.length > 0
        ? 'credentials were sealed with another key, which opens them no more: give auth_token or ssh_key'
        : isHookSame && sealedWebhookSecret.length > 0
          ? 'webhook_secret was sealed with another key, which opens it no more: give it (or null)'
          : undefined;
    if (other !== undefined) throw failedPrecondition(`the repository ${name}: its ${other} in the same request`);
  }

  #sealer() {
    const { sealer } = this.#ports.secrets;
    if (sealer !== undefined) return sealer;
    throw failedPrecondition(
      'secrets of repositories cannot be kept here: the registry has no key to seal them with; set STOPGO_PUSH_KEY for it',
    );
  }

  /** Also those that cannot be kept now. */
  #mirrored(): readonly MirroredRepository[] {
    const listed = [...this.#list.state.repositories.values()].map(({ name, source: { gitUrl } }) => ({
      name,
      gitUrl,
    }));
    return [...this.#configured.map(({ options }) => options), ...listed];
  }

  #kept(name: string): KeptRepository {
    const kept = this.#listed.get(name);
    if (kept === undefined) throw failedPrecondition(`the repository ${name} was changed by somebody else; look again`);
    return kept.repository;
  }

  /** Keeps what the list names, as it says; one change after the other. Never throws. */
  #adapt(): Promise<void> {
    this.#adapting = this.#adapting.then(() => this.#adaptOnce()).catch((error: unknown) => this.#sayWhy(error));
    return this.#adapting;
  }

  #sayWhy(error: unknown): void {
    if (!this.#stopping.signal.aborted)
      this.#ports.log.warn(`the list of agent repositories cannot be followed: ${describeError(error)}`);
  }

  async #adaptOnce(): Promise<void> {
    const { signal } = this.#stopping;
    const { repositories: wanted } = this.#list.state;
    for (const [name, { repository }] of this.#listed) {
      if (wanted.has(name)) continue;
      this.#listed.delete(name);
      await repository.stop();
      // A mirror that cannot be removed keeps no other repository from being taken up.
      await this.#ports.removeMirror(repository.options).catch((error: unknown) => this.#sayWhy(error));
    }
    for (const [name, listed] of wanted) {
      const before = this.#listed.get(name);
      // The configuration goes before the list.
      if (signal.aborted || before?.revision === listed.revision || this.#names.has(name)) continue;
      // What it has found stays usable until its successor has read the same record.
      await before?.repository.stop();
      // One that cannot be kept keeps no other from being taken up.
      await this.#keep(listed).catch((error: unknown) => this.#sayWhy(error));
    }
  }

  async #keep(listed: ListedRepository): Promise<void> {
    const repository = this.#ports.keep(optionsOf(listed, this.#ports.secrets));
    await repository.start(this.#stopping.signal);
    this.#listed.set(listed.name, { revision: listed.revision, repository });
  }
}

function checkProtocol(protocol: ReturnType<typeof remoteOf>['protocol'], authType: RepositoryAuth): void {
  if (authType === 'token' && protocol !== 'https' && protocol !== 'http')
    throw invalidArgument('auth_type token goes with an https address only');
  if (authType === 'ssh-key' && protocol !== 'ssh')
    throw invalidArgument('auth_type ssh-key goes with an address of ssh only');
}

function ofAddress(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw error instanceof GitFailure ? invalidArgument(error.message) : error;
  }
}
