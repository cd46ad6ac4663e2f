import type { facts } from '@stopgo/proto';
import type { AgentSource } from '../agent/calling.ts';

/** Where an agent comes from, from its wire form. */
export function sourceFromWire({ repository, commit, path, pinned }: facts.AgentSource): AgentSource {
  return { repository, commit, path, ...(pinned && { pinned }) };
}
