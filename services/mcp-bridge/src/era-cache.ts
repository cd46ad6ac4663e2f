import type { PriorDiscovery } from '@modelcontextprotocol/client';
import { sha256Hex } from '@stopgo/core';
import type { McpServerConfig } from '@stopgo/runtime';

/**
 * Which protocol a server turned out to speak, so that a restart need not find out again. Kept per command or address,
 * for as long as the bridge lives.
 */
export class EraCache {
  readonly #verdicts = new Map<string, PriorDiscovery>();

  get(server: McpServerConfig): PriorDiscovery | undefined {
    return this.#verdicts.get(keyOf(server));
  }

  set(server: McpServerConfig, verdict: PriorDiscovery): void {
    this.#verdicts.set(keyOf(server), verdict);
  }

  /** After a failure with it: the server may have been replaced by another version. */
  forget(server: McpServerConfig): void {
    this.#verdicts.delete(keyOf(server));
  }
}

function keyOf({ transport }: McpServerConfig): string {
  if (transport.kind === 'http') return `http ${transport.url}`;
  const env = Object.entries(transport.env).sort();
  return `stdio ${sha256Hex(JSON.stringify([transport.command, transport.args, env]))}`;
}
