import {
  type Actor,
  configurePush,
  conversationStream,
  failedPrecondition,
  liveConfigs,
  removePush,
} from '@stopgo/core';
import { isUnknown } from '@stopgo/log';
import type { store, views } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { conversationsMax, faultPauseMs, knownMax } from './bounds.ts';
import type { PushSealer } from './sealed.ts';
import { SendSlots } from './send-slots.ts';
import { type CheckedSettings, checkSettings, configIdOf, type Settings } from './settings.ts';
import type { TellerPorts } from './teller.ts';
import { TellingLog } from './telling-log.ts';

export type OutboxPorts = Omit<TellerPorts, 'open' | 'slots' | 'store' | 'tellingLog'> & {
  readonly store: Client<typeof store.StoreService>;
  /** Undefined: there is no key, and nothing that is secret can be kept. */
  readonly sealer: () => PushSealer | undefined;
  readonly allowPrivate: boolean;
  readonly onFault: (error: unknown, where: string) => void;
  /** Instead of the bounds of the same names, for tests. */
  readonly conversationsMax?: number;
  readonly slots?: SendSlots;
};

type Telling = { readonly ended: Promise<void>; again: boolean };

/** The addresses that are told of conversations: how they are configured, and which of them this process tells. */
export class Outbox {
  readonly #ports: OutboxPorts;
  readonly #stopped = new AbortController();
  readonly #slots: SendSlots;
  readonly #log: TellingLog;
  readonly #telling = new Map<string, Telling>();
  /** Conversations that have addresses, as far as this process has noticed. */
  readonly #known = new Set<string>();
  /** Conversations that a fault of ours keeps from being told, and until when. */
  readonly #left = new Map<string, number>();
  /** Conversations of which all that is left is to be tried again, and when. */
  readonly #paused = new Map<string, number>();
  /** Conversations whose addresses are of crowded hosts, and these addresses. */
  readonly #crowded = new Map<string, readonly string[]>();

  constructor(ports: OutboxPorts) {
    this.#ports = ports;
    this.#slots = ports.slots ?? new SendSlots();
    this.#log = new TellingLog(ports.logger, ports.clock);
  }

  /**
   * Settings that may be used.
   *
   * @throws DomainError `invalid_argument`; `failed_precondition` for secrets where there is no key to keep them with.
   */
  check(settings: Settings): CheckedSettings {
    const checked = checkSettings(settings, this.#ports);
    const { token, credentials } = checked.secrets;
    if ((token !== '' || credentials !== '') && this.#ports.sealer() === undefined)
      throw failedPrecondition(
        'token and credentials of a push config cannot be kept here: there is no key to seal them with; set STOPGO_PUSH_KEY for every orchestrator',
      );
    return checked;
  }

  /** Makes a config, or makes it anew. `afterRevision`: of the conversation; what came up to there is not told. */
  async set(conversationId: string, settings: CheckedSettings, actor: Actor, afterRevision: number) {
    const { pushes } = this.#ports;
    const { url, protocolVersion, scheme, secrets } = settings;
    const id = configIdOf(settings, conversationId);
    const place = { conversationId, configId: id, url };
    const isSecret = secrets.token !== '' || secrets.credentials !== '';
    const sealer = isSecret ? this.#ports.sealer() : undefined;
    const sealed = sealer?.seal(secrets, place) ?? new Uint8Array();
    const isSame = (config: views.PushConfig): boolean => {
      if (config.givenUp || config.url !== url || config.protocolVersion !== protocolVersion) return false;
      if (config.scheme !== scheme || config.sealed.length !== sealed.length) return false;
      const known = sealed.length === 0 ? secrets : sealer?.open(config.sealed, place);
      return known?.token === secrets.token && known.credentials === secrets.credentials;
    };
    const keyId = sealer?.keyId ?? '';
    const { push } = await pushes.change(await pushes.load(conversationId), actor, (now) =>
      now.configs.some((config) => config.id === id && isSame(config))
        ? []
        : configurePush(now, { id, url, protocolVersion, scheme, sealed, keyId, afterRevision }),
    );
    this.#know(conversationId);
    this.#crowded.delete(conversationId);
    this.poke(conversationId);
    return push.configs.find((config) => config.id === id);
  }

  /** Ends a config; that there is none of that id is no error. */
  async remove(conversationId: string, configId: string, actor: Actor): Promise<void> {
    const { pushes } = this.#ports;
    await pushes.change(await pushes.load(conversationId), actor, (push) => removePush(push, configId));
  }

  /** Whose a conversation is, and its revision. @throws DomainError `not_found` if it is not there. */
  async headOf(conversationId: string): Promise<{ readonly revision: number; readonly principal?: string }> {
    const { view } = await this.#ports.store.getConversation({ conversationId });
    const { revision = 0, principal = '' } = view?.head ?? {};
    return { revision, ...(principal === '' ? {} : { principal }) };
  }

  /** Is told that something happens in a conversation. */
  poke(conversationId: string): void {
    if (this.#known.has(conversationId)) this.#tellNews(conversationId);
  }

  /** Is told that a conversation waits for people: webhooks may have to be told. */
  asked(conversationId: string): void {
    if (this.#ports.webhookPorts.webhooks.size > 0) this.#tellNews(conversationId);
  }

  /** Takes up every conversation that somebody is to be told of and nobody alive does it. */
  async sweep(): Promise<void> {
    const { instance, liveness, store: client } = this.#ports;
    for (let cursor = ''; ; ) {
      const page = await client.listDuePushes({ cursor });
      for (const { conversationId, ownerInstance } of page.pushes) {
        const isFree = ownerInstance === '' || ownerInstance === instance || liveness.isDead(ownerInstance);
        if (isFree && !this.#telling.has(conversationId)) this.#tell(conversationId);
      }
      cursor = page.nextCursor;
      if (cursor === '') return;
    }
  }

  /** Stops telling. Whoever takes over goes on with what is not on the record. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error('the orchestrator is stopping'));
    await Promise.all([...this.#telling.values()].map(({ ended }) => ended));
  }

  #know(conversationId: string): void {
    this.#known.delete(conversationId);
    this.#known.add(conversationId);
    const oldest = this.#known.values().next().value;
    if (this.#known.size > knownMax && oldest !== undefined) this.#known.delete(oldest);
  }

  /** There is something new, and there may be some who need not wait. */
  #tellNews(conversationId: string): void {
    this.#paused.delete(conversationId);
    this.#tell(conversationId);
  }

  #tell(conversationId: string): void {
    const telling = this.#telling.get(conversationId);
    if (telling !== undefined) {
      telling.again = true;
      return;
    }
    const now = this.#ports.clock.monotonic();
    const most = this.#ports.conversationsMax ?? conversationsMax;
    if (this.#stopped.signal.aborted || this.#telling.size >= most) return;
    if (this.#crowded.get(conversationId)?.every((url) => this.#slots.isCrowded(url))) return;
    this.#crowded.delete(conversationId);
    if (now < (this.#left.get(conversationId) ?? now)) return;
    if (now < (this.#paused.get(conversationId) ?? now)) return;
    this.#left.delete(conversationId);
    this.#paused.delete(conversationId);
    const ended = this.#run(conversationId).catch((error: unknown) => {
      if (this.#stopped.signal.aborted) return;
      // What is out of reach is no fault: the sweep comes by again.
      if (!isUnknown(error)) this.#left.set(conversationId, this.#ports.clock.monotonic() + faultPauseMs);
      this.#ports.onFault(error, `telling the addresses of conversation ${conversationId}`);
    });
    const entry = { ended, again: false };
    this.#telling.set(conversationId, entry);
    void ended.finally(() => {
      this.#telling.delete(conversationId);
      // It may have looked before that was on the record.
      if (entry.again) this.#tellNews(conversationId);
    });
  }

  async #run(conversationId: string): Promise<void> {
    const { sealer, pushes } = this.#ports;
    const push = await pushes.load(conversationId, this.#stopped.signal);
    const namesMore = push.namedThrough > push.settledRevision;
    if (liveConfigs(push).length > 0 || namesMore) this.#know(conversationId);
    const isDue = namesMore || (liveConfigs(push).length > 0 && (await this.#isDue(push)));
    if (push.ownerInstance === '' && !isDue) return;
    // A host that answers nothing would hold all places of those who could be told.
    const { webhooks } = this.#ports.webhookPorts;
    const urls = liveConfigs(push).map(({ webhook, url }) => webhooks.get(webhook)?.url ?? url);
    if (!namesMore && urls.length > 0 && urls.every((url) => this.#slots.isCrowded(url))) {
      remember(this.#crowded, conversationId, urls);
      return;
    }
    // Loaded by who needs it: most do not.
    const { Teller } = await import('./teller.ts');
    const open: TellerPorts['open'] = (sealed, place) => sealer()?.open(sealed, place);
    const given = { ...this.#ports, slots: this.#slots, tellingLog: this.#log, open };
    const dueAt = await new Teller(given, push, this.#stopped.signal).tell();
    if (dueAt !== undefined) remember(this.#paused, conversationId, dueAt);
  }

  async #isDue({ conversationId, settledRevision }: views.Push): Promise<boolean> {
    const { store: client } = this.#ports;
    const stream = conversationStream(conversationId);
    const { headRevision } = await client.readStream({ stream, fromRevision: settledRevision + 1, limit: 1 });
    return headRevision > settledRevision;
  }
}

/** Keeps at most {@link knownMax}: of what is forgotten it is found out again. */
function remember<T>(known: Map<string, T>, conversationId: string, value: T): void {
  known.set(conversationId, value);
  const [oldest] = known.keys();
  if (known.size > knownMax && oldest !== undefined) known.delete(oldest);
}
