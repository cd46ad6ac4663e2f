import {
  type Actor,
  attemptPush,
  claimPush,
  conversationStream,
  liveConfigs,
  type NamingOfWebhook,
  type PushAttempt,
  type PushOwner,
  type RecordedFact,
  releasePush,
  tellWebhooks,
  webhooksNamedBy,
} from '@stopgo/core';
import { type Clock, type ConversationLog, isUnknown, type Liveness } from '@stopgo/log';
import type { store, views } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import type { Logger } from '@stopgo/runtime';
import { isWaiting, stateAfter, stateOf, stateOfWord, type TaskState, terminal, wordOfState } from './bodies.ts';
import {
  crowdedPauseMs,
  followPauseMs,
  heldPauseMsMax,
  pauseFirstMs,
  pauseMostMs,
  reasonCharactersMax,
} from './bounds.ts';
import type { Delivered, Delivery } from './deliver.ts';
import type { PushLog } from './push-log.ts';
import type { PushSecrets, SecretPlace } from './sealed.ts';
import type { SendSlots } from './send-slots.ts';
import { sendUpdate } from './send-update.ts';
import type { TellingLog } from './telling-log.ts';
import { type Notice, Notices, noticesAfter } from './webhooks/notices.ts';
import { sendNotice, type WebhookPorts } from './webhooks/send-notice.ts';
import { attemptsOf } from './webhooks/webhooks.ts';

export type TellerPorts = {
  readonly instance: string;
  readonly log: ConversationLog;
  readonly store: Pick<Client<typeof store.StoreService>, 'getConversation' | 'getApproval'>;
  readonly pushes: Pick<PushLog, 'load' | 'change'>;
  readonly liveness: Liveness;
  readonly clock: Clock;
  /** A number from 0 up to 1, for jitter. */
  readonly random: () => number;
  readonly logger: Logger;
  readonly tellingLog: TellingLog;
  /** Opens what was sealed; undefined if it cannot be. */
  readonly open: (sealed: Uint8Array, place: SecretPlace) => PushSecrets | undefined;
  readonly slots: SendSlots;
  readonly webhookPorts: WebhookPorts;
  readonly deliver: (delivery: Delivery, signal: AbortSignal) => Promise<Delivered>;
};

/** What an event shows: a change of the task's state to addresses, a notice to webhooks. */
type Shown = {
  readonly revision: number;
  readonly state?: TaskState | undefined;
  readonly notice?: Notice | undefined;
};

/** Tells the addresses of one conversation what becomes of it, for as long as this process owns that. */
export class Teller {
  readonly #ports: TellerPorts;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;
  readonly #actor: Actor;
  readonly #lanes = new Map<string, Promise<void>>();
  /** Until when the lanes wait that wait for long, by the monotonic clock. */
  readonly #pausing = new Map<string, number>();
  #push: views.Push;
  #owner: PushOwner | undefined;
  readonly #notices: Notices;
  /** What events show, by revision. */
  readonly #shown = new Map<number, Shown>();
  /** Webhooks that events name. */
  readonly #named: NamingOfWebhook[] = [];
  /** After which revisions events were looked at for addresses, and for webhooks. */
  #tasksFrom = Number.POSITIVE_INFINITY;
  #noticesFrom = Number.POSITIVE_INFINITY;
  /** The last revision of the conversation that was looked at, and the state there. */
  #head = 0;
  #state: TaskState | undefined;
  #failure: unknown;
  #wake: () => void = () => undefined;

  constructor(ports: TellerPorts, push: views.Push, signal: AbortSignal) {
    this.#ports = ports;
    this.#push = push;
    this.#signal = AbortSignal.any([signal, this.#ended.signal]);
    this.#notices = new Notices(ports.store);
    this.#actor = { kind: 'system', id: ports.instance };
  }

  /**
   * Claims the conversation, tells what there is to tell while its run goes on, and releases it, also when all that is left is
   * to be tried again much later: gives when, by the monotonic clock. Resolves at once if somebody else who is alive owns it.
   * Rejects for what is no failure of an address.
   */
  async tell(): Promise<number | undefined> {
    if (!(await this.#claim())) return undefined;
    let dueAt: number | undefined;
    let watching: Promise<void> | undefined;
    try {
      do {
        if (this.#isBehind()) await this.#look();
        await this.#introduce();
        watching ??= this.#watch();
        this.#start();
        await this.#quiet();
        dueAt = this.#pausing.size === 0 ? undefined : Math.min(...this.#pausing.values());
      } while (!(await this.#release()));
    } catch (error) {
      if (!this.#signal.aborted) throw error;
    } finally {
      this.#ended.abort();
      await Promise.all([watching, ...this.#lanes.values()]);
    }
    if (this.#failure !== undefined) throw this.#failure;
    return dueAt;
  }

  async #claim(): Promise<boolean> {
    const { instance, liveness, pushes } = this.#ports;
    const mayTakeOver = (owner: string) => owner === instance || liveness.isDead(owner);
    const decide = (push: views.Push) => claimPush(push, instance, mayTakeOver);
    const { push, isChanged } = await pushes.change(this.#push, this.#actor, decide, this.#signal);
    this.#push = push;
    this.#owner = { instance, epoch: push.epoch };
    return isChanged;
  }

  /** True if somebody is to be told of what was before anything that was looked at. */
  #isBehind(): boolean {
    const isBefore = (one: views.PushConfig): boolean =>
      one.webhook === '' ? one.throughRevision < this.#tasksFrom : noticesAfter(one, this.#push) < this.#noticesFrom;
    return this.#head === 0 || liveConfigs(this.#push).some(isBefore);
  }

  /** Finds out where the conversation stands, and what was not told yet. */
  async #look(): Promise<void> {
    const { log, store } = this.#ports;
    const { conversationId } = this.#push;
    const { view } = await store.getConversation({ conversationId }, { signal: this.#signal });
    const { revision: head = 0 } = view?.head ?? {};
    // What was heard of meanwhile may be later than what the view shows.
    if (view?.head !== undefined && head >= this.#head) this.#state = stateOf(view.head);
    // After the view: what it shows may name webhooks.
    await this.#refresh();
    const live = liveConfigs(this.#push);
    const [first, ...others] = live.filter(({ webhook }) => webhook === '');
    const furthestBack = others.reduce(
      (least, one) => (least !== undefined && least.throughRevision <= one.throughRevision ? least : one),
      first,
    );
    this.#tasksFrom = furthestBack?.throughRevision ?? head;
    const { settledRevision, namedFrom, namedThrough } = this.#push;
    this.#noticesFrom = Math.min(
      head,
      ...live.flatMap((config) => (config.webhook === '' ? [] : [noticesAfter(config, this.#push)])),
      ...(namedThrough > settledRevision ? [Math.max(settledRevision, namedFrom - 1)] : []),
    );
    let before = stateOfWord(furthestBack?.taskState ?? '');
    const from = Math.min(this.#tasksFrom, this.#noticesFrom);
    for await (const event of log.read(conversationStream(conversationId), from + 1, this.#signal))
      before = (await this.#take(event, before)).state ?? before;
    this.#head = Math.max(this.#head, head);
  }

  async #take(event: RecordedFact, before: TaskState | undefined): Promise<Shown> {
    const { fact, revision } = event;
    this.#head = Math.max(this.#head, revision);
    const state = revision > this.#tasksFrom ? stateAfter(fact, before) : undefined;
    const { namedFrom } = this.#push;
    const mayBeTold = this.#named.length > 0 || (namedFrom > 0 && namedFrom < revision);
    const notice = revision > this.#noticesFrom ? await this.#notices.of(event, mayBeTold, this.#signal) : undefined;
    // What was looked at for one kind is looked at anew for the other.
    const known = this.#shown.get(revision);
    const shown = { revision, state: state ?? known?.state, notice: notice ?? known?.notice };
    if (shown.state !== undefined || shown.notice !== undefined) this.#shown.set(revision, shown);
    if (state !== undefined && revision === this.#head) this.#state = state;
    if (notice !== undefined) for (const webhook of webhooksNamedBy(fact)) this.#named.push({ webhook, revision });
    return shown;
  }

  /** Sees to it that the webhooks are told that events name. */
  async #introduce(): Promise<void> {
    if (tellWebhooks(this.#push, this.#named).length === 0) return;
    const decide = (push: views.Push) => {
      this.#push = push;
      return this.#isOwner() ? tellWebhooks(push, this.#named) : [];
    };
    this.#push = (await this.#ports.pushes.change(this.#push, this.#actor, decide, this.#signal)).push;
  }

  /** Takes each new event of the conversation. Never rejects. */
  async #watch(): Promise<void> {
    const { log, clock } = this.#ports;
    const stream = conversationStream(this.#push.conversationId);
    while (!this.#signal.aborted) {
      try {
        for await (const event of log.follow(stream, this.#head + 1, this.#signal)) {
          const { state, notice } = await this.#take(event, this.#state);
          if (state === undefined && notice === undefined) continue;
          await this.#refresh();
          await this.#introduce();
          this.#start();
          this.#wake();
        }
      } catch (error) {
        if (!this.#signal.aborted && !isUnknown(error)) this.#fail(error);
      }
      await clock.sleep(followPauseMs, this.#signal).catch(() => undefined);
    }
  }

  #end(): void {
    this.#ended.abort();
    this.#wake();
  }

  #fail(error: unknown): void {
    if (this.#signal.aborted) return;
    this.#failure = error;
    this.#end();
  }

  /** Resolves when no address is being told or will be soon, and nothing more is expected soon. */
  async #quiet(): Promise<void> {
    const wake = (): void => this.#wake();
    this.#signal.addEventListener('abort', wake);
    while (!this.#signal.aborted && (this.#lanes.size > this.#pausing.size || !this.#isAtRest()))
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#signal.removeEventListener('abort', wake);
  }

  #isAtRest(): boolean {
    const state = this.#state;
    return state === undefined || terminal.has(state) || isWaiting(state) || liveConfigs(this.#push).length === 0;
  }

  /** Releases the conversation if nothing is left to tell, or not soon. True if this process does not own it any more. */
  async #release(): Promise<boolean> {
    if (this.#signal.aborted) return true;
    const [owner, head] = [this.#owner, this.#head];
    const decide = (push: views.Push) => {
      this.#push = push;
      const left = liveConfigs(push).filter((config) => this.#nextFor(config) !== undefined);
      if (
        this.#isBehind() ||
        tellWebhooks(push, this.#named).length > 0 ||
        left.some(({ id }) => !this.#pausing.has(id))
      )
        return [];
      return releasePush(push, owner, Math.min(head, ...left.map(({ throughRevision }) => throughRevision)));
    };
    const { push, isChanged } = await this.#ports.pushes.change(this.#push, this.#actor, decide, this.#signal);
    this.#push = push;
    return isChanged || !this.#isOwner();
  }

  #isOwner(): boolean {
    return this.#push.ownerInstance === this.#owner?.instance && this.#push.epoch === this.#owner.epoch;
  }

  #nextFor({ webhook, throughRevision }: views.PushConfig): Shown | undefined {
    const isFor = ({ state, notice }: Shown): boolean =>
      webhook === '' ? state !== undefined : notice !== undefined && this.#isWanted(webhook, notice);
    const later = [...this.#shown.values()].filter((one) => one.revision > throughRevision && isFor(one));
    return later.length === 0 ? undefined : later.reduce((one, other) => (other.revision < one.revision ? other : one));
  }

  /** Whether a webhook is told of a notice. One that is not configured here is: whoever has it may know of its events. */
  #isWanted(name: string, { type, webhooks }: Notice): boolean {
    return webhooks.has(name) && this.#ports.webhookPorts.webhooks.get(name)?.events.includes(type) !== false;
  }

  /** Sees to it that each address that has something to be told is being told. */
  #start(): void {
    for (const config of liveConfigs(this.#push)) {
      const { id } = config;
      if (this.#lanes.has(id) || this.#nextFor(config) === undefined) continue;
      const lane = this.#lane(id)
        .catch((error: unknown) => this.#fail(error))
        .finally(() => {
          this.#lanes.delete(id);
          this.#wake();
        });
      this.#lanes.set(id, lane);
    }
  }

  /** Tells one address all that there is, in order. */
  async #lane(configId: string): Promise<void> {
    for (;;) {
      const config = liveConfigs(this.#push).find(({ id }) => id === configId);
      const next = config === undefined ? undefined : this.#nextFor(config);
      if (config === undefined || next === undefined) return;
      await this.#pause(config);
      const hasSlot = this.#inLine(config);
      const isOwner = await this.#ports.slots.within(this.#urlOf(config), this.#signal, async () => {
        hasSlot();
        await this.#refresh();
        if (!this.#isOwner()) return false;
        const now = liveConfigs(this.#push).find(({ id }) => id === configId);
        const isSame = now?.throughRevision === config.throughRevision && now.url === config.url;
        if (isSame) await this.#attempt(now, next);
        return true;
      });
      if (!isOwner) return this.#end();
    }
  }

  /** Waits as long as the attempts that failed before say, wherever they were made. */
  async #pause({ id, failures, failedAt }: views.PushConfig): Promise<void> {
    if (failures === 0 || failedAt === undefined) return;
    const { clock, random } = this.#ports;
    const pauseMs = Math.min(pauseFirstMs * 2 ** (failures - 1), pauseMostMs) * (0.5 + random() / 2);
    const passedMs = Math.max(0, clock.now() - Number(failedAt.seconds) * 1_000 - failedAt.nanos / 1e6);
    const leftMs = Math.max(0, pauseMs - passedMs);
    if (leftMs > heldPauseMsMax) {
      this.#pausing.set(id, clock.monotonic() + leftMs);
      this.#wake();
    }
    await clock.sleep(leftMs, this.#signal);
    this.#pausing.delete(id);
  }

  /** Sees to it that an address that waits long for its turn holds the conversation no more. Gives what ends its wait. */
  #inLine(config: views.PushConfig): () => void {
    const { id } = config;
    const { clock, slots } = this.#ports;
    if (!slots.isFull(this.#urlOf(config))) return () => undefined;
    const hasSlot = new AbortController();
    const isLong = () => {
      if (hasSlot.signal.aborted) return;
      this.#pausing.set(id, clock.monotonic() + crowdedPauseMs);
      this.#wake();
    };
    clock.sleep(heldPauseMsMax, AbortSignal.any([this.#signal, hasSlot.signal])).then(isLong, () => undefined);
    return () => {
      hasSlot.abort();
      this.#pausing.delete(id);
    };
  }

  async #refresh(): Promise<void> {
    const push = await this.#ports.pushes.load(this.#push.conversationId, this.#signal);
    if (push.revision >= this.#push.revision) this.#push = push;
  }

  async #attempt(config: views.PushConfig, shown: Shown): Promise<void> {
    const { liveness, pushes, tellingLog, webhookPorts } = this.#ports;
    const { conversationId } = this.#push;
    // Somebody else may have taken this process for dead.
    while (!liveness.isFresh()) await liveness.renewed(this.#signal);
    const { revision, state } = shown;
    const outcome = await this.#send(config, shown);
    const isLast = config.failures + 1 >= attemptsOf(webhookPorts.webhooks.get(config.webhook));
    const isGivenUp = outcome.kind === 'failed' && outcome.isOurs !== true && (outcome.gone === true || isLast);
    const attempt: PushAttempt = {
      configId: config.id,
      eventRevision: revision,
      delivered: outcome.kind === 'taken',
      reason: outcome.kind === 'failed' ? outcome.reason.slice(0, reasonCharactersMax) : '',
      givenUp: isGivenUp,
      taskState: state === undefined || config.webhook !== '' ? '' : wordOfState(state),
    };
    const owner = this.#owner;
    const decide = (push: views.Push) => {
      const now = push.configs.find(({ id }) => id === config.id);
      // One that was made anew meanwhile was not told.
      const isSame = now !== undefined && isSameTarget(now, config);
      return owner === undefined || !isSame ? [] : attemptPush(push, owner, attempt);
    };
    const { push } = await pushes.change(this.#push, this.#actor, decide, this.#signal);
    if (push.revision > this.#push.revision) this.#push = push;
    tellingLog.attempted(conversationId, config, outcome, isGivenUp);
  }

  async #send(config: views.PushConfig, { revision, state, notice }: Shown): Promise<Delivered> {
    const { conversationId } = this.#push;
    if (config.webhook === '')
      return sendUpdate(this.#ports, config, { revision, state: state ?? 0 }, conversationId, this.#signal);
    const ports = { ...this.#ports, ...this.#ports.webhookPorts, now: this.#ports.clock.now };
    return notice === undefined ? { kind: 'taken' } : sendNotice(ports, config, notice, conversationId, this.#signal);
  }

  #urlOf({ webhook, url }: views.PushConfig): string {
    return webhook === '' ? url : (this.#ports.webhookPorts.webhooks.get(webhook)?.url ?? '');
  }
}

const isSameTarget = (one: views.PushConfig, other: views.PushConfig): boolean =>
  one.url === other.url && one.scheme === other.scheme && Buffer.compare(one.sealed, other.sealed) === 0;
