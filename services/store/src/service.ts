import { timestampMs } from '@bufbuild/protobuf/wkt';
import {
  anonymousPrincipal,
  conversationOfStream,
  conversationStream,
  DomainError,
  invalidArgument,
  isUuid,
  noPush,
  notFound,
  parseStreamName,
  type StreamName,
  unavailable,
} from '@stopgo/core';
import type { store } from '@stopgo/proto';
import type { ServiceImpl } from '@stopgo/rpc';
import { abortsWithin } from '@stopgo/runtime';
import { answerTo, keyAnswer } from './append-answer.ts';
import { approvalFilterOf, approvalsCounted } from './approval-filter.ts';
import { blobService } from './blob-service.ts';
import type { BlobStore } from './blob-store.ts';
import {
  keysPerLoadMax,
  listBytesMax,
  listLimitDefault,
  listLimitMax,
  pageEventsMax,
  pageMessageBytesMax,
  pageMessagesMax,
  queryCharactersMax,
  readWaitMsMax,
  ticketsPerReadMax,
  unseenPerLoadMax,
} from './bounds.ts';
import { checkAppend } from './check-append.ts';
import type { DeltaChannel } from './delta-channel.ts';
import type { DiskProblem } from './disk-condition.ts';
import type { EventLog } from './event-log.ts';
import { forPeers } from './for-peers.ts';
import type { InstanceBoard } from './instance-board.ts';
import { keyService } from './key-service.ts';
import { type KeyStore, noKeys } from './key-store.ts';
import { OpenStreams } from './open-streams.ts';
import {
  checkLimit,
  encodeAskingCursor,
  encodeChangeCursor,
  encodeCursor,
  pageByAsking,
  pageByChange,
  pageOf,
} from './paging.ts';
import { peopleReads } from './people-reads.ts';
import { checkRecorder } from './recorders.ts';
import { waitsOfWorkingRuns, withWaits } from './run-waits.ts';
import { ticketAnswer } from './ticket.ts';
import { verifyStream } from './verify.ts';
import { blobProblems } from './verify-blobs.ts';
import { verifyLog } from './verify-log.ts';
import type { Views } from './views.ts';
import { watchApprovals } from './watch-approvals.ts';

/** What the service is made of. */
export type StoreParts = {
  readonly log: EventLog;
  readonly views: Views;
  readonly blobs: BlobStore;
  /** Absent: none are kept. */
  readonly keys?: KeyStore;
  readonly deltas: DeltaChannel;
  readonly instances: InstanceBoard;
  /** Streams (follow, subscribe, watch) that may be open at once. */
  readonly openStreamsMax: number;
  /** Why appends fail now; absent where nothing can be known of it. */
  readonly condition?: () => DiskProblem | undefined;
};

/** The service over a log and its views, whichever they are. */
export function storeService(parts: StoreParts): ServiceImpl<typeof store.StoreService> {
  const { log, views, deltas, instances } = parts;
  const streams = new OpenStreams(parts.openStreamsMax);

  const viewOf = (stream: string) => {
    const id = conversationOfStream(stream);
    const view = id === undefined ? undefined : views.view(id);
    return view === undefined ? {} : { view };
  };

  const watchersOf = (stream: string) => {
    const id = conversationOfStream(stream);
    return id === undefined ? 0 : deltas.watchers(id);
  };

  /**
   * The state of a conversation and those of the keys that stand in it: none that it is too old for, and none missing. So
   * the keys are read after it, and if one stands further on, both are read again. Each key comes once.
   */
  const withKeys = async (conversationId: string, keys: readonly string[], signal: AbortSignal) => {
    for (;;) {
      const snapshot = views.snapshot(conversationId);
      if (snapshot === undefined) throw notFound(`there is no conversation ${conversationId}`);
      const known = await log.keys(conversationStream(conversationId), keys);
      if (known.every(({ lastRevision }) => lastRevision <= snapshot.revision)) return { snapshot, known };
      signal.throwIfAborted();
      await views.caughtUp(signal);
    }
  };

  /** The events from a revision on, without a gap; none where the log has lost one of them. */
  const readIfSound = async (stream: StreamName, fromRevision: number, limit: number) => {
    try {
      const { events } = await log.read(stream, fromRevision, limit);
      return events.every(({ revision }, index) => revision === fromRevision + index) ? events : [];
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'data_loss') return [];
      throw error;
    }
  };

  /** The view of a conversation; undefined as well where it was set aside. */
  const viewIfSound = (id: string) => {
    try {
      return views.view(id);
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'data_loss') return undefined;
      throw error;
    }
  };

  return forPeers({
    async getCondition() {
      const problem = parts.condition?.();
      return problem === undefined ? {} : { problem: problem.text, reason: problem.reason };
    },

    async listWaits() {
      return { waits: waitsOfWorkingRuns(instances.waits(), viewIfSound) };
    },

    // The signal of a call is made when it is looked at: most appends do not wait.
    async append(request, context) {
      const append = checkAppend(request);
      if (context.peerService !== undefined) checkRecorder(context.peerService, append);
      // A conversation that was set aside takes nothing: not even what it seems to have already is acknowledged.
      const conversationId = conversationOfStream(append.stream);
      if (conversationId !== undefined) views.snapshot(conversationId);
      const outcome = await log.append(append);
      if (outcome.kind !== 'conflict' && request.returnView) await views.caughtUp(context.signal, outcome.position);
      return answerTo(outcome, request.returnView ? viewOf(append.stream) : {}, watchersOf(append.stream));
    },

    async load({ by, idempotencyKeys, knownRevision, knownFoldVersion, mayLag }, { signal }) {
      if (idempotencyKeys.length > keysPerLoadMax)
        throw invalidArgument(`a load asks for at most ${keysPerLoadMax} keys, not ${idempotencyKeys.length}`);
      if (!mayLag || !views.isFed() || !isKnown(by, views)) await views.caughtUp(signal);
      const conversationId = conversationOf(by, views);
      const { snapshot, known } = await withKeys(conversationId, idempotencyKeys, signal);
      const { revision, bytes, foldVersion } = snapshot;
      const found = { conversationId, revision, foldVersion, knownKeys: known.map(keyAnswer) };
      const behind = revision - knownRevision;
      const isSameFold = knownFoldVersion === foldVersion;
      if (!isSameFold || behind < 0 || behind > unseenPerLoadMax) return { ...found, snapshot: bytes };
      if (behind === 0) return found;
      const unseen = await readIfSound(conversationStream(conversationId), knownRevision + 1, behind);
      // A page is cut by bytes; and of a log that has lost an event the state is worth more than what is left.
      if (unseen.length < behind) return { ...found, snapshot: bytes };
      return { ...found, unseen: unseen.map((one) => one.event) };
    },

    async readTicket(request, { signal }) {
      await views.caughtUp(signal);
      const state = views.state(request.conversationId);
      return state === undefined ? {} : ticketAnswer(state, (id) => views.approval(id), request);
    },

    async readTickets({ calls }, { signal }) {
      if (calls.length === 0 || calls.length > ticketsPerReadMax)
        throw invalidArgument(`tickets are read for 1 to ${ticketsPerReadMax} calls at once, not ${calls.length}`);
      await views.caughtUp(signal);
      const answers = calls.map((call) => {
        const state = views.state(call.conversationId);
        return state === undefined ? {} : ticketAnswer(state, (id) => views.approval(id), call);
      });
      return { answers };
    },

    async readStream(request) {
      const stream = parseStreamName(request.stream);
      const limit = Math.min(request.limit === 0 ? pageEventsMax : request.limit, pageEventsMax);
      const { events, headRevision } = await log.read(stream, request.fromRevision, limit);
      return { events: events.map((one) => one.event), headRevision };
    },

    follow: ({ stream, fromRevision }, { signal }) =>
      streams.admit(async function* () {
        for await (const event of log.follow(parseStreamName(stream), fromRevision, signal)) yield { event };
      }),

    subscribe: ({ afterPosition, streamPrefix }, { signal }) =>
      streams.admit(async function* () {
        for await (const event of log.subscribe(Number(afterPosition), streamPrefix, signal)) yield { event };
      }),

    async getConversation({ conversationId, afterSequence, messageLimit, minRevision }, { signal }) {
      await views.caughtUp(signal);
      await reached(conversationId, minRevision, signal);
      const view = views.view(conversationId);
      if (view === undefined)
        throw notFound(`there is no conversation ${JSON.stringify(conversationId.slice(0, 100))}`);
      const limit = Math.min(messageLimit, pageMessagesMax);
      const messages = views.messages(conversationId, afterSequence, limit, pageMessageBytesMax);
      return { view: withWaits(view, () => instances.waits()), ...messages };
    },

    async listConversations(request) {
      const page = pageOf('conversations', request, listLimitDefault);
      const query = request.query.trim();
      if (query.length > queryCharactersMax)
        throw invalidArgument(`a search has at most ${queryCharactersMax} characters, not ${query.length}`);
      const principal = request.principal || undefined;
      const filter = {
        status: request.status === 0 ? undefined : request.status,
        query: query || undefined,
        principal,
      };
      const { rows, next } = views.conversations(filter, page);
      let known: ReturnType<typeof instances.waits> | undefined;
      const waits = () => {
        known ??= instances.waits();
        return known;
      };
      return {
        conversations: rows.map((view) => withWaits(view, waits)),
        nextCursor: encodeCursor('conversations', next),
        summary: views.counts(principal),
        position: BigInt(views.position()),
      };
    },

    async listByChange(request, { signal }) {
      const { contextId, principal, standing, changedSince } = request;
      const filter = {
        context: contextId === '' ? undefined : { id: contextId, principal },
        principal: principal === '' || principal === anonymousPrincipal ? undefined : principal,
        standing: standing === 0 ? undefined : standing,
        changedSince: changedSince === undefined ? 0 : Math.ceil(timestampMs(changedSince)),
      };
      await views.caughtUp(signal);
      const { rows, next } = views.conversationsByChange(filter, pageByChange(request, listLimitDefault));
      const matching = views.countByChange(filter);
      return { conversations: [...rows], nextCursor: encodeChangeCursor(next), matching };
    },

    async readContext({ contextId, principal, textsMax, bytesMax }, { signal }) {
      if (bytesMax > listBytesMax)
        throw invalidArgument(`at most ${listBytesMax} bytes are read of a context, not ${bytesMax}`);
      await views.caughtUp(signal);
      const { texts, leftOut } = views.said({ id: contextId, principal }, { textsMax, bytesMax });
      return { texts: texts.map((one) => ({ ...one })), leftOut };
    },

    async listInputs(request) {
      const principal = request.principal === '' ? undefined : request.principal;
      const { rows, next } = views.inputs(principal, pageByAsking(request, listLimitDefault));
      return {
        inputs: [...rows],
        nextCursor: encodeAskingCursor(next),
        total: views.countInputs(principal),
      };
    },

    async getApproval({ approvalId }, { signal }) {
      await views.caughtUp(signal);
      const approval = views.approval(approvalId);
      if (approval === undefined) throw notFound(`there is no approval ${JSON.stringify(approvalId.slice(0, 100))}`);
      return { approval };
    },

    async listApprovals(request, { signal }) {
      const page = pageOf('approvals', request, listLimitDefault);
      const filter = approvalFilterOf(request);
      if (filter.askedInRun !== undefined) await views.caughtUp(signal);
      const { rows, next } = views.approvals(filter, page);
      return { approvals: [...rows], nextCursor: encodeCursor('approvals', next) };
    },

    watchApprovals: (request, { signal }) => streams.admit(() => watchApprovals({ log, views }, request, signal)),

    async countApprovals(request) {
      return views.countApprovals(approvalsCounted(request));
    },

    async listOpenRuns(request) {
      const page = pageOf('runs', request, listLimitMax);
      const { rows, next } = request.watched
        ? views.watchedRuns(page)
        : views.openRuns(page, request.dueBy && timestampMs(request.dueBy));
      const runs = rows.map(({ conversationId, runId, owner, revision }) => ({
        conversationId,
        runId,
        ownerInstance: owner?.instance ?? '',
        ownerEpoch: owner?.epoch ?? 0,
        revision,
      }));
      return { runs, nextCursor: encodeCursor('runs', next) };
    },

    async getPush({ conversationId }, { signal }) {
      await views.caughtUp(signal);
      return { push: views.push(conversationId) ?? noPush(conversationId) };
    },

    async listDuePushes(request) {
      const { rows, next } = views.duePushes(pageOf('pushes', request, listLimitMax));
      return { pushes: [...rows], nextCursor: encodeCursor('pushes', next) };
    },

    ...peopleReads(views),

    async heartbeat(request) {
      const known = await instances.beat(request);
      // Whoever renews wants to know who is alive; what runs wait for is for readers.
      return { instances: known.map(({ waits: _, ...one }) => one), complete: instances.complete };
    },

    async publishDelta({ delta }) {
      return { watchers: deltas.publish(delta) };
    },

    watchDeltas: ({ conversationId }, { signal }) =>
      streams.admit(async function* () {
        for await (const delta of deltas.watch(conversationId, signal)) yield { delta };
      }),

    ...blobService(parts.blobs, views),
    ...keyService(parts.keys ?? noKeys),

    async verifyStream({ stream }, { signal }) {
      const verified = await verifyStream(log, views, parseStreamName(stream), signal);
      const { events, problems } = verified;
      const named = [...verified.named].map(([name, revision]) => ({ stream: name, revision }));
      const conversationId = conversationOfStream(stream);
      if (conversationId === undefined) return { events, problems: [...problems], named };
      return { events, problems: [...problems, ...(await blobProblems(parts, conversationId, signal))], named };
    },

    async verifyLog(_, { signal }) {
      return { problems: [...(await verifyLog(log, views, signal))] };
    },

    async verifySearch(_, { signal }) {
      await views.caughtUp(signal);
      const { messages, problems } = await views.verifySearch(signal);
      return { messages, problems: [...problems] };
    },

    async listStreams({ prefix, after, limit }) {
      return { streams: [...(await log.streams(prefix, after, checkLimit(limit, listLimitMax)))] };
    },
  });

  /** Waits for a revision that the caller knows of and the view does not show yet. */
  async function reached(conversationId: string, revision: number, signal: AbortSignal): Promise<void> {
    if (revision <= (views.snapshot(conversationId)?.revision ?? 0) || !isUuid(conversationId)) return;
    const end = abortsWithin(readWaitMsMax, signal);
    for await (const { position } of log.follow(conversationStream(conversationId), revision, end)) {
      // The log has it; the views may be behind the log.
      await views.caughtUp(signal, Number(position));
      return;
    }
    throw unavailable(`conversation ${conversationId} has not reached revision ${revision}; try again`);
  }
}

function isKnown(by: store.LoadRequest['by'], views: Views): boolean {
  return by.case === 'approvalId'
    ? views.approval(by.value) !== undefined
    : by.case === 'conversationId' && views.snapshot(by.value) !== undefined;
}

function conversationOf(by: store.LoadRequest['by'], views: Views): string {
  switch (by.case) {
    case 'conversationId':
      return by.value;
    case 'approvalId': {
      const approval = views.approval(by.value);
      if (approval === undefined) throw notFound(`there is no approval ${JSON.stringify(by.value.slice(0, 100))}`);
      return approval.conversationId;
    }
    default:
      throw invalidArgument('a load names a conversation or an approval');
  }
}
