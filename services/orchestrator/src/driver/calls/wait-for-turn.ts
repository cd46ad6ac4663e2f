import type { RunHandle } from '../handle/run-handle.ts';

/** How long a turn is waited for without a word, in milliseconds: servers that take one call at a time are common, and most calls are short. */
const wordlessMs = 2_000;

/**
 * Has the run told, after a while, that its call waits for other calls of its server, until none is before it any more (`alone`) or the
 * signal aborts. It may be on the record by then, and wait in the bridge. Never rejects.
 */
export async function tellTurn(
  { conversationId, runId, ports }: Pick<RunHandle, 'conversationId' | 'runId' | 'ports'>,
  server: string,
  alone: Promise<void>,
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
  await alone;
  // With a reason, as `abort` else makes an error with its stack for every call that waited.
  hasCome.abort('the turn has come');
  await told;
}
