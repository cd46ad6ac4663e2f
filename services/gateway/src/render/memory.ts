import { actorFromWire } from '@stopgo/core';
import type { memory as wire } from '@stopgo/proto';
import { type Answer, RawJson } from '../json-text.ts';
import { rfc3339 } from './time.ts';

/** Something that an agent remembers. */
export function renderMemory(memory: wire.Memory | undefined): Answer {
  if (memory === undefined) return null;
  const { key, agent, valueJson, call, revision } = memory;
  const { kind, id, claimed = false } = actorFromWire(memory.savedBy);
  return {
    ...{ key, agent, value: RawJson.from(valueJson) ?? null },
    expires_at: rfc3339(memory.expiresAt) ?? null,
    created_at: rfc3339(memory.createdAt),
    saved_at: rfc3339(memory.savedAt),
    saved_by: { kind, id, claimed },
    conversation_id: call?.conversationId ?? null,
    run_id: call?.runId ?? null,
    step_id: call?.stepId ?? null,
    revision,
  };
}
