import type { Clock } from '@stopgo/log';
import type { store as wire } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import type { Deltas } from './driver/handle/ports.ts';

/** Pieces of one answer are put together for so long, in milliseconds. */
const coalesceMs = 20;
/** How long pieces are held back of a conversation that nobody watched, in milliseconds: whoever opens it meanwhile gets them then. */
const unwatchedMs = 1_000;

type Piece = Parameters<Deltas['publish']>[0];

/** Sends a model's answer to whoever watches while it is being made. Nothing waits for it, and it may be lost. */
export function storeDeltas(store: Client<typeof wire.StoreService>, clock: Clock): Deltas {
  const gathering = new Map<string, Piece>();
  const quietUntil = new Map<string, number>();

  const watched = (conversationId: string, watchers: number): void => {
    if (watchers > 0) {
      if (!quietUntil.delete(conversationId)) return;
      for (const [key, piece] of gathering)
        if (piece.conversationId === conversationId) void send(key).catch(() => undefined);
      return;
    }
    const now = clock.monotonic();
    for (const [conversation, until] of quietUntil) {
      if (until >= now) break;
      quietUntil.delete(conversation);
    }
    // The latest stands last.
    quietUntil.delete(conversationId);
    quietUntil.set(conversationId, now + unwatchedMs);
  };

  const send = async (key: string): Promise<void> => {
    const piece = gathering.get(key);
    gathering.delete(key);
    if (piece === undefined) return;
    const { watchers } = await store.publishDelta({ delta: piece });
    watched(piece.conversationId, watchers);
  };

  const sendAfter = async (key: string, ms: number): Promise<void> => {
    await clock.sleep(ms);
    await send(key);
  };
  const quietFor = (conversationId: string): number => (quietUntil.get(conversationId) ?? 0) - clock.monotonic();

  return {
    watched,
    // The answer itself goes on the record now: a piece of it that came after it would only confuse.
    ended: (answer) => {
      const key = keyOf(answer);
      const piece = gathering.get(key);
      if (piece !== undefined && quietFor(piece.conversationId) > 0) gathering.delete(key);
      else void send(key).catch(() => undefined);
    },
    publish: (piece) => {
      const key = keyOf(piece);
      const waiting = gathering.get(key);
      if (waiting !== undefined) {
        gathering.set(key, { ...waiting, text: waiting.text + piece.text });
        return;
      }
      gathering.set(key, piece);
      sendAfter(key, Math.max(coalesceMs, quietFor(piece.conversationId))).catch(() => gathering.delete(key));
    },
  };
}

function keyOf({ runId, stepId, turn, attempt }: Parameters<Deltas['ended']>[0]): string {
  return `${runId} ${stepId} ${turn} ${attempt}`;
}
