import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoggedConversation } from '../promises/read-log.ts';
import type { Carried } from './faults.ts';

/** Leaves beside the logs and journals of a run what the log held, what was struck, and what is wrong. */
export function writeEvidence(
  folder: string,
  conversations: readonly LoggedConversation[],
  violations: readonly string[],
  carried: readonly Carried[],
): void {
  const events = conversations.flatMap(({ id, events: all }) =>
    all.map(({ revision, time, actor, fact }) =>
      JSON.stringify({ id, revision, at: new Date(time).toISOString(), by: actor.id, ...fact }, plain),
    ),
  );
  const faults = carried.map(({ name, from, to }) =>
    [new Date(from).toISOString(), new Date(to).toISOString(), name].join(' '),
  );
  for (const [file, lines] of Object.entries({ 'events.jsonl': events, violations, faults }))
    writeFileSync(join(folder, file), `${lines.join('\n')}\n`, { mode: 0o600 });
}

/** What JSON has no words for. */
function plain(name: string, value: unknown): unknown {
  if (name === '$typeName') return undefined;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return typeof value === 'bigint' ? String(value) : value;
}
