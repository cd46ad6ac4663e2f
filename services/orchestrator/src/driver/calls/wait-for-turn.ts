import type { RunHandle } from '../handle/run-handle.ts';

/** How long a turn is waited for without a word, in milliseconds: servers that take one call at a time are common, and most calls are short. */
const wordlessMs = 2_000;

/** Waits for a call's turn at a tool server; after a while the run is told to wait for it. Rejects when the signal aborts. */
export async function turnOf(
  { conversationId, runId, ports }: RunHandle,
  server: string,
  come: Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const hasCome = new AbortController();
  const over = AbortSignal.any([hasCome.signal, signal]);
  const told = ports.clock.sleep(wordlessMs, over).then(
    () => {
      if (over.aborted) return;
      const reason = 'it takes other calls first';
      const wait = ports.waits.begin({ conversationId, runId, kind: 'tool_turn', name: server, reason });
      over.addEventListener('abort', () => wait.end(), { once: true });
    },
    () => undefined,
  );
  try {
    await come;
  } finally {
    hasCome.abort();
    await told;
  }
}
