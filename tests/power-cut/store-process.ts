import { fromBinary } from '@bufbuild/protobuf';
import { envelope, store } from '@stopgo/proto';
import { connectGrpc, createGrpcClient } from '@stopgo/rpc';
import type { Acknowledged, Note, WrittenServer } from './acknowledged.ts';
import { writeConfiguration } from './configuration.ts';
import { conversationAppends, definitionAppends } from './conversation-appends.ts';
import { fromSource, Program, stopgo } from './program.ts';
import type { Undo } from './undo.ts';

/** Conversations that are appended to at the same time, and turns of each before a new one takes its place. */
const conversationsAtOnce = 16;
const turnsEach = 4;
/** Questions asked at the same time when everything is looked for. */
const looksAtOnce = 32;

/** A store as a process of its own, and a client of it. */
export type StoreProcess = WrittenServer & {
  /** Those of the promises that are not kept. */
  lost(acknowledged: readonly Acknowledged[]): Promise<Acknowledged[]>;
  /** What `stopgo verify` finds wrong with the chains of hashes and the views; empty if nothing. */
  problems(): Promise<string[]>;
};

export type StoreOptions = {
  /** For its configuration. */
  readonly folder: string;
  readonly dataDir: string;
  /** Names NATS, if the log is there. */
  readonly env?: Readonly<Record<string, string>>;
  /** Starts also where nothing shows that what is acknowledged is on disk. */
  readonly acceptsUnverified?: boolean;
  readonly preloads?: readonly string[];
};

/** Starts the store as `stopgo service store` runs it. */
export async function startStoreProcess(options: StoreOptions, undo: Undo): Promise<StoreProcess> {
  const { folder, dataDir, env = {}, acceptsUnverified = false, preloads = [] } = options;
  const nats = { accept_unverified_durability: acceptsUnverified };
  const config = writeConfiguration(folder, dataDir, { nats });
  const program = await Program.start(
    fromSource('cli/src/main.ts', ['service', 'store', '--config', config], preloads),
    { env, ready: /ready on \S+\s/ },
    undo,
  );
  const address = program.captured(/ready on (\S+)/);
  const channel = connectGrpc(address);
  const client = createGrpcClient(store.StoreService, channel);

  const isKept = async ({ stream, revision, eventId }: Acknowledged): Promise<boolean> => {
    const { events } = await client.readStream({ stream, fromRevision: revision, limit: 1 });
    const bytes = events[0]?.envelope;
    if (bytes === undefined) return false;
    return eventId === undefined || fromBinary(envelope.EnvelopeSchema, bytes).eventId === eventId;
  };
  const writeConversations = async (note: Note): Promise<void> => {
    for (;;)
      for (const { request, revision, eventId } of conversationAppends(turnsEach)) {
        const { outcome } = await client.append(request);
        if (outcome.case !== 'appended') throw new Error(`not appended but ${outcome.case}`);
        note({ stream: request.stream, revision, eventId });
      }
  };
  // What a run names stands in the log before it. A start after a cut finds it there.
  const define = async (note: Note): Promise<void> => {
    for (const { request, revision, eventId } of definitionAppends()) {
      const { outcome } = await client.append(request);
      if (outcome.case === 'appended') note({ stream: request.stream, revision, eventId });
    }
  };
  return {
    pids: () => program.pids(),
    async write(note) {
      const defined = define(note);
      const writing = Array.from({ length: conversationsAtOnce }, async () => {
        await defined;
        await writeConversations(note);
      });
      await Promise.allSettled(writing);
    },
    async lost(acknowledged) {
      const lost: Acknowledged[] = [];
      const left = [...acknowledged];
      const look = async (): Promise<void> => {
        for (let one = left.pop(); one !== undefined; one = left.pop()) if (!(await isKept(one))) lost.push(one);
      };
      await Promise.all(Array.from({ length: looksAtOnce }, look));
      return lost;
    },
    async problems() {
      const { code, output } = await stopgo('verify', '--store', address);
      return code === 0 ? [] : [output];
    },
    async kill() {
      channel.close();
      await program.kill();
    },
  };
}
