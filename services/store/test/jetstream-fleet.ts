import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { decodeRecorded, fact, parseStreamName, sha256Hex } from '@stopgo/core';
import { expect } from 'vitest';
import type { EventLog, RecordedEvent, StreamAppend } from '../src/event-log.ts';
import { makeStream, openReplica, type Replica, type ReplicaOptions } from './jetstream-log.ts';
import { type NatsServer, startNats } from './nats-server.ts';
import { eventsOf, type Story } from './story.ts';

export const never = new AbortController().signal;
/** Where appends go that are not of a story. */
export const stream = parseStreamName('tool-t');

/** An append of one event that says a text. */
export function append(expectedRevision: number, text: string, more: Partial<StreamAppend> = {}): StreamAppend {
  const events = eventsOf(fact('toolDefined', { pin: 'pin', definitionJson: text }));
  return { stream, expectedRevision, events, idempotencyKey: randomUUID(), requestDigest: '', ...more };
}

/** What it says. */
export const textOf = (event: RecordedEvent): string => {
  const { fact: one } = decodeRecorded(event);
  return one.case === 'toolDefined' ? one.value.definitionJson : '';
};

/** Appends of a story, which expects to be alone in its stream. */
export async function tell(log: EventLog, story: Story, turns: number): Promise<void> {
  const all = [story.created(), ...Array.from({ length: turns }, () => [...story.turn()]).flat()];
  for (const one of all)
    expect(await log.append({ ...one, stream: parseStreamName(one.stream), requestDigest: '' })).toMatchObject({
      kind: 'appended',
    });
}

/** Every row of the index and of the views that a replica shows, whatever the order in which they were written. */
export async function rowsOf({ database, views }: Replica): Promise<unknown> {
  await views.caughtUp(never);
  // Asked first: rows that are not written yet are written then.
  const counts = views.counts();
  const tables = ['streams', 'appends', 'conversations', 'messages', 'approvals', 'set_aside'];
  const rows = tables.flatMap((table) =>
    database.all(`SELECT * FROM ${table}`, (row) => {
      const whole = JSON.stringify(row);
      // Short enough to be read where two differ.
      return `${table} ${whole.slice(0, 80)} ${sha256Hex(whole)}`;
    })(),
  );
  return [...rows.sort(), counts];
}

/** The replicas of one log on a server of its own; all of it ends with the test. */
export class Fleet {
  readonly server: NatsServer;
  readonly #replicas: Replica[] = [];

  private constructor(server: NatsServer) {
    this.server = server;
  }

  static async start(): Promise<Fleet> {
    const server = await startNats();
    await makeStream(server.url);
    return new Fleet(server);
  }

  async open(options: Partial<ReplicaOptions> = {}): Promise<Replica> {
    const replica = await openReplica({ url: this.server.url, ...options });
    this.#replicas.push(replica);
    return replica;
  }

  async remove(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.end()));
    await this.server.remove();
    for (const { dataDir } of this.#replicas) rmSync(dataDir, { recursive: true, force: true });
  }
}
