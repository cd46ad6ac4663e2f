import type { PriorDiscovery } from '@modelcontextprotocol/client';
import { serverIdentity, sha256Hex } from '@stopgo/core';
import type { McpServerConfig } from '@stopgo/runtime';

/** Where it is kept over restarts which servers speak the older protocol. What it holds is only a hint. */
export type EraMemory = {
  /** What was kept last; undefined if there is nothing, or nothing that can be read. */
  read(): string | undefined;
  /** Keeps this text in place of what was kept before. Never throws: without it the next start is merely slower. */
  write(text: string): void;
};

/** Servers that are kept at most; the oldest go first. */
const keptMax = 256;

/**
 * Which protocol a server turned out to speak, so that a restart need not find out again. Kept per command or address,
 * for as long as the bridge lives. Which processes speak the older one is remembered for longer: one that does not answer what it
 * does not know costs seconds each time that it is asked.
 */
export class EraCache {
  readonly #verdicts = new Map<string, PriorDiscovery>();
  readonly #memory: EraMemory | undefined;
  readonly #legacy: Set<string>;

  constructor(memory?: EraMemory) {
    this.#memory = memory;
    this.#legacy = new Set(parsed(memory?.read()));
  }

  get(server: McpServerConfig): PriorDiscovery | undefined {
    return this.#verdicts.get(keyOf(server));
  }

  /** Whether an earlier process found that the server speaks the older protocol. It may speak another one by now. */
  hintsLegacy(server: McpServerConfig): boolean {
    const identity = identityOf(server);
    return identity !== undefined && this.#legacy.has(identity);
  }

  set(server: McpServerConfig, verdict: PriorDiscovery): void {
    this.#verdicts.set(keyOf(server), verdict);
    this.#remember(server, verdict.kind === 'legacy');
  }

  /** After a failure with it: the server may have been replaced by another version. */
  forget(server: McpServerConfig): void {
    this.#verdicts.delete(keyOf(server));
    this.#remember(server, false);
  }

  #remember(server: McpServerConfig, isLegacy: boolean): void {
    const identity = identityOf(server);
    if (identity === undefined || this.#legacy.has(identity) === isLegacy) return;
    if (isLegacy) this.#legacy.add(identity);
    else this.#legacy.delete(identity);
    const kept = [...this.#legacy].slice(-keptMax);
    this.#memory?.write(`${JSON.stringify({ legacy: kept })}\n`);
  }
}

function parsed(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  try {
    const { legacy } = JSON.parse(text);
    return Array.isArray(legacy) ? legacy.filter((one) => typeof one === 'string').slice(-keptMax) : [];
  } catch {
    return [];
  }
}

/** What a process is remembered by: nothing of its environment, which may hold secrets. Undefined for servers over HTTP. */
function identityOf({ name, transport }: McpServerConfig): string | undefined {
  return transport.kind === 'stdio'
    ? serverIdentity(name, transport.kind, [transport.command, ...transport.args])
    : undefined;
}

function keyOf({ transport }: McpServerConfig): string {
  if (transport.kind === 'http') return `http ${transport.url}`;
  const env = Object.entries(transport.env).sort();
  return `stdio ${sha256Hex(JSON.stringify([transport.command, transport.args, env]))}`;
}
