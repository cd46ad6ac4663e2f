import { conversationOfStream, type StreamName } from '@stopgo/core';
import { damageReasonCharactersMax } from '../../bounds.ts';
import type { Projection, ProjectionBatch } from '../../views.ts';
import { isFailureOfFile } from '../sqlite/database.ts';
import { addOrSetAside } from '../sqlite-views/rebuild.ts';
import { type Arrived, lastOf, type Stretch } from './ahead.ts';
import { decodeAppend, type LoggedAppend, positionOf, streamOf } from './batch-message.ts';
import type { StreamIndex } from './index-tables.ts';

/** What one transaction makes of some messages. */
export type Plan = {
  readonly views: ProjectionBatch;
  readonly appends: LoggedAppend[];
  /** Streams of messages that cannot be read. */
  readonly unreadable: string[];
  readonly damage: Damage[];
  /** Of the last event. */
  position: number;
  /** Of the last message; empty if it cannot be read. */
  endHash: Uint8Array;
};

type Damage = { readonly stream: string; readonly sequence: number; readonly reason: string };

const unknown = new Uint8Array();

/** Works out what to write. A message that is `guilty` of an earlier failure counts as one that cannot be read. */
export function planOf(
  { index, projection }: { readonly index: StreamIndex; readonly projection: Projection },
  { first, arrived }: Stretch,
  guilty: number,
): Plan {
  const plan: Plan = {
    views: projection.begin(),
    appends: [],
    unreadable: [],
    damage: [],
    position: 0,
    endHash: unknown,
  };
  const revisions = new Map<StreamName, number>();
  let sequence = first;
  for (const one of arrived) {
    plan.endHash = unknown;
    if (one.kind === 'lost') plan.position = positionOf(one.upTo, 0);
    else add(plan, one, sequence);
    sequence = lastOf(one, sequence) + 1;
  }
  return plan;

  function add(plan: Plan, one: Exclude<Arrived, { kind: 'lost' }>, sequence: number): void {
    const stream = one.kind === 'own' ? one.append.stream : (streamOf(one.message.subject) as StreamName);
    const revision = revisions.get(stream) ?? index.head(stream)?.revision ?? 0;
    const damaged = (reason: string) => plan.damage.push({ stream, sequence, reason });
    try {
      if (sequence === guilty) throw new Error('what it makes cannot be written');
      const append = one.kind === 'own' ? one.append : decodeAppend(one.message.subject, sequence, one.message.data);
      if (append.firstRevision !== revision + 1)
        throw new Error(`it begins with event ${append.firstRevision}; its stream ends with event ${revision}`);
      const known = one.kind === 'own' ? one.known : undefined;
      const reason = addOrSetAside(plan.views, stream, append.events, sequence, known);
      if (reason !== undefined) damaged(reason);
      plan.appends.push(append);
      revisions.set(stream, append.lastRevision);
      plan.position = positionOf(sequence, append.events.length - 1);
      plan.endHash = append.hash;
    } catch (error) {
      if (isFailureOfFile(error)) throw error;
      const reason = (error instanceof Error ? error.message : String(error)).slice(0, damageReasonCharactersMax);
      plan.position = positionOf(sequence, 0);
      plan.unreadable.push(stream);
      damaged(reason);
      if (conversationOfStream(stream) !== undefined && !plan.views.isSetAside(stream))
        plan.views.setAside(stream, { position: plan.position, revision: revision + 1, reason });
    }
  }
}
