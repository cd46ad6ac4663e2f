import type { RunHandle } from '../handle/run-handle.ts';

/** The next bridge that is there; while none is, the run is told to wait for one. Rejects when the signal aborts. */
export async function anyBridge(driver: RunHandle, signal: AbortSignal): Promise<string> {
  const { conversationId, runId, ports } = driver;
  const reason = 'no bridge to the tools is there';
  const wait = ports.waits.begin({ conversationId, runId, kind: 'tool_bridge', name: '', reason });
  return ports.tools.available(signal).finally(() => wait.end());
}
