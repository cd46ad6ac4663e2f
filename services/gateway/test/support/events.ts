import { get, type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { create, toBinary } from '@bufbuild/protobuf';
import { encodeFact, type Fact } from '@stopgo/core';
import { envelope } from '@stopgo/proto';
import { AT } from './views.ts';

/** One message of an event stream, as a browser would read it. */
export type ServerEvent = { readonly id?: string; readonly event?: string; readonly data: string };

export type EventClient = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly events: ServerEvent[];
  /** All text so far, comments included. */
  text(): string;
  readonly ended: Promise<void>;
  pause(): void;
  resume(): void;
  leave(): void;
};

/** Opens an event stream and reads it until it ends or the client leaves. */
export function follow(url: string, path: string, headers: OutgoingHttpHeaders = {}): Promise<EventClient> {
  return new Promise((resolve, reject) => {
    const outgoing = get(`${url}${path}`, { headers, agent: false }, (res) =>
      resolve(clientOf(res, () => outgoing.destroy())),
    );
    outgoing.on('error', reject);
  });
}

function clientOf(res: IncomingMessage, leave: () => void): EventClient {
  const events: ServerEvent[] = [];
  let text = '';
  let rest = '';
  res.setEncoding('utf8');
  res.on('data', (chunk: string) => {
    text += chunk;
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
      if (fields.data !== undefined) events.push(fields as ServerEvent);
    }
  });
  return {
    status: res.statusCode ?? 0,
    headers: res.headers,
    events,
    text: () => text,
    ended: new Promise((resolve) => {
      res.on('close', resolve);
      res.on('error', () => resolve());
    }),
    pause: () => void res.pause(),
    resume: () => void res.resume(),
    leave,
  };
}

/** An event as the store gives it. */
export const recorded = (stream: string, revision: number, fact: Fact) => ({
  event: {
    envelope: toBinary(
      envelope.EnvelopeSchema,
      create(envelope.EnvelopeSchema, {
        eventId: `event-${revision}`,
        stream,
        revision,
        time: AT,
        actor: { kind: envelope.ActorKind.SYSTEM, id: 'orchestrator-1' },
        schemaVersion: 1,
        payload: encodeFact(fact),
      }),
    ),
  },
});

/** A stream of values that a test feeds by hand and that ends when its signal aborts. */
export function feed<T>() {
  const values: T[] = [];
  const wake = new Set<() => void>();
  let readers = 0;
  let taken = 0;
  return {
    push: (value: T) => {
      values.push(value);
      for (const go of wake) go();
    },
    /** How many read now. */
    readers: () => readers,
    /** How many values were asked for, by all readers together. */
    taken: () => taken,
    async *read(signal: AbortSignal, from = 0): AsyncGenerator<T, void> {
      readers += 1;
      try {
        for (let next = from; ; ) {
          if (signal.aborted) return;
          const value = values[next];
          if (value !== undefined) {
            next += 1;
            taken += 1;
            yield value;
            continue;
          }
          await new Promise<void>((resolve) => {
            wake.add(resolve);
            signal.addEventListener('abort', () => resolve(), { once: true });
          });
        }
      } finally {
        readers -= 1;
      }
    },
  };
}
