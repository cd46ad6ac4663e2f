import { ApiError, type Conversation, type StreamState } from '@stopgo/client';
import { useEffect, useState } from 'react';
import { type LogEvent, readable } from '../api/payload.ts';
import { platform } from '../api/platform.ts';
import { watchStream } from '../api/watch.ts';
import { wordsOf } from '../api/words.ts';
import { emptyTranscript, type Transcript } from '../chat/transcript.ts';
import { TranscriptBuilder } from '../chat/transcript-builder.ts';
import { hear } from './live.ts';
import { Store, useStore } from './store.ts';

/** A conversation that somebody looks at: what it shows, and how it stands. */
export type Watched = {
  readonly transcript: Transcript;
  readonly head?: Conversation;
  readonly stream: StreamState;
  /** Why it cannot be shown. */
  readonly problem?: string;
};

/** Events that change what is asked of the head. */
const changesHead = /^(approval_|input_|run_|call_edited|tool_call_in_doubt|user_message_received|conversation_)/;
/** What a run waits for besides people stands in no event: while it works, it is asked for this often, in milliseconds. */
const headMs = 4_000;

/** What changed within so long is drawn together, in milliseconds: a frame; longer while what was before is still being read. */
const drawMs = 16;
const behindMs = 1_000;

/** Follows a conversation until `end` is called; `keep` is given each event once. */
export function watch(
  id: string,
  keep: (event: LogEvent) => void = () => undefined,
): { readonly store: Store<Watched>; readonly end: () => void } {
  const store = new Store<Watched>({ transcript: emptyTranscript, stream: 'connecting' });
  const ended = new AbortController();
  const update = (change: Partial<Watched>) => store.set({ ...store.get(), ...change });

  // Many events come at once when a conversation is opened: they are shown together.
  const builder = new TranscriptBuilder();
  let drawing: { readonly timer: ReturnType<typeof setTimeout>; readonly ms: number } | undefined;
  const draw = () => {
    drawing = undefined;
    update({ transcript: builder.shown() });
  };
  const drawSoon = () => {
    const isBehind = builder.revision < (store.get().head?.revision ?? Number.POSITIVE_INFINITY);
    const ms = isBehind ? behindMs : drawMs;
    if (drawing !== undefined && drawing.ms <= ms) return;
    clearTimeout(drawing?.timer);
    drawing = { timer: setTimeout(draw, ms), ms };
  };

  let asking = false;
  let again = false;
  const askHead = async (): Promise<void> => {
    if (asking) {
      again = true;
      return;
    }
    asking = true;
    try {
      const sent = { prefer: 'return=minimal', signal: ended.signal };
      const conversation = await platform.conversations.get(id, {}, sent);
      hear(conversation.pending_approvals);
      const { problem: _, ...rest } = store.get();
      store.set({ ...rest, head: conversation });
      if (drawing !== undefined) drawSoon();
    } catch (error) {
      if (!ended.signal.aborted && store.get().head === undefined) update({ problem: wordsOf(error) });
    } finally {
      asking = false;
    }
    if (!again || ended.signal.aborted) return;
    again = false;
    await askHead();
  };
  void askHead();
  const timer = setInterval(() => {
    if (store.get().transcript.isRunOpen) void askHead();
  }, headMs);

  const endStream = watchStream({
    open: (options) => platform.conversations.events(id, options),
    onState: (stream) => {
      update({ stream });
      if (stream === 'open') void askHead();
    },
    ends: (error) => error instanceof ApiError && error.status === 404,
    onEnd: () => update({ problem: 'There is no such conversation, or it is not for you to see.' }),
    take: (news) => {
      if (news.kind === 'delta') {
        builder.takePiece(news.delta);
        drawSoon();
        return;
      }
      const event = readable(news.event);
      builder.take(event);
      keep(event);
      drawSoon();
      if (changesHead.test(event.type) && event.revision > (store.get().head?.revision ?? 0)) void askHead();
    },
  });
  return {
    store,
    end: () => {
      ended.abort();
      clearInterval(timer);
      clearTimeout(drawing?.timer);
      endStream();
    },
  };
}

const nothing = new Store<Watched>({ transcript: emptyTranscript, stream: 'connecting' });

/** A conversation as it goes on. */
export function useConversation(id: string): Watched {
  const [store, setStore] = useState(nothing);
  useEffect(() => {
    const watched = watch(id);
    setStore(watched.store);
    return () => {
      watched.end();
      setStore(nothing);
    };
  }, [id]);
  return useStore(store);
}
