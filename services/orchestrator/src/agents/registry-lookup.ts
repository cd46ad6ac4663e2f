import { DomainError, notFound } from '@stopgo/core';
import type { registry } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { noAgent } from './catalogue.ts';
import type { AgentLookup, ListedAgent } from './platform-agents.ts';

/** How long the registry may take to answer, in milliseconds. */
const answerMs = 10_000;
/** Agents asked for at once, and patterns. */
const pageMax = 200;
const patternsMax = 200;

/** Looks agents up in the registry. */
export function registryLookup(client: Client<typeof registry.RegistryService>): AgentLookup {
  return {
    async resolve(name, revision, signal) {
      try {
        const { agent, synced } = await client.resolveAgent({ name, revision }, { signal, timeoutMs: answerMs });
        if (agent === undefined) return undefined;
        const { repository, commit, path, definitionDigest: digest } = agent;
        const pinned = revision !== '' && !synced;
        return { name: agent.name, digest, source: { repository, commit, path, ...(pinned && { pinned }) } };
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        if (error.kind === 'not_found' && revision !== '') throw notFound(error.message, { reason: noAgent });
        // A name that cannot be one is none: models make up names, too.
        if (error.kind === 'not_found' || (error.kind === 'invalid_argument' && revision === '')) return undefined;
        throw error;
      }
    },

    async matching(patterns, most, signal) {
      const found: ListedAgent[] = [];
      for (let cursor = ''; ; ) {
        const request = {
          patterns: patterns.slice(0, patternsMax),
          limit: Math.min(most - found.length, pageMax),
          cursor,
        };
        const { agents, nextCursor } = await client.listAgents(request, { signal, timeoutMs: answerMs });
        for (const { name, description, definitionDigest: digest } of agents) found.push({ name, description, digest });
        if (nextCursor === '' || found.length >= most) return found;
        cursor = nextCursor;
      }
    },
  };
}
