import { type AgentDefinition, type AgentNode, childrenOf, withAgentsDescribed } from '@stopgo/core';
import type { Clock } from '@stopgo/log';
import { aboutPauseMs } from '../a2a/bounds.ts';

/** Says what the agent at an address is good for; rejects if that cannot be learnt now. */
export type About = (url: string, signal: AbortSignal) => Promise<string>;

/**
 * The configured agent, with what other agents say of themselves where the configuration says nothing. It is asked for in the
 * background and counts for runs that start after it is known; an agent that cannot be asked is described as it was.
 */
export class DescribedAgent {
  readonly #configured: AgentDefinition;
  readonly #about: About;
  readonly #urls: readonly string[];
  #known: ReadonlyMap<string, string> = new Map();
  #latest: AgentDefinition;

  constructor(configured: AgentDefinition, about: About) {
    this.#configured = configured;
    this.#about = about;
    this.#urls = [...new Set(undescribed(configured.root))];
    this.#latest = configured;
  }

  /** The same object for as long as nothing new is known. */
  get now(): AgentDefinition {
    return this.#latest;
  }

  /** Asks now and then, until the signal aborts. Never rejects. */
  async keepAsking(clock: Clock, signal: AbortSignal): Promise<void> {
    if (this.#urls.length === 0) return;
    while (!signal.aborted) {
      await this.#ask(signal);
      await clock.sleep(aboutPauseMs, signal).catch(() => undefined);
    }
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const said = await Promise.all(
      this.#urls.map(
        async (url) => [url, await this.#about(url, signal).catch(() => this.#known.get(url) ?? '')] as const,
      ),
    );
    if (said.every(([url, about]) => about === (this.#known.get(url) ?? ''))) return;
    const known = new Map(said);
    this.#known = known;
    this.#latest = withAgentsDescribed(this.#configured, ({ url }) => known.get(url) ?? '');
  }
}

/** Addresses of the agents that models are offered without a description. */
function undescribed(node: AgentNode): string[] {
  if (node.type !== 'llm') return childrenOf(node).flatMap(undescribed);
  return (node.agents ?? []).filter(({ description }) => description === '').map(({ url }) => url);
}
