import {
  type ConversationState,
  conversationStream,
  decodeRecorded,
  evolve,
  initialState,
  type RecordedFact,
  runStanding,
} from '@stopgo/core';
import type { store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';

/** Longest wait for anything, in milliseconds: a run that has wedged is told, not waited for. */
const waitMs = 60_000;

/** A conversation as its stream shows it, to one who belongs to no orchestrator. */
export class Watch {
  readonly events: RecordedFact[] = [];
  private state: ConversationState = initialState;
  private readonly ended = new AbortController();
  private readonly looking = new Set<() => void>();

  constructor(client: Client<typeof store.StoreService>, conversationId: string) {
    void this.follow(client, conversationStream(conversationId));
  }

  /** Resolves once nobody has anything to do for the run: it waits for people, or has settled. */
  quiet(fromRevision: number): Promise<void> {
    return this.until(`to come to rest after event ${fromRevision}`, () => {
      const standing = runStanding(this.state);
      return this.state.revision >= fromRevision && standing !== 'working' && standing !== 'none';
    });
  }

  get revision(): number {
    return this.state.revision;
  }

  get run(): ConversationState['run'] {
    return this.state.run;
  }

  end(): void {
    this.ended.abort();
  }

  private async follow(client: Client<typeof store.StoreService>, stream: string): Promise<void> {
    try {
      for await (const { event } of client.follow({ stream, fromRevision: 1 }, { signal: this.ended.signal })) {
        if (event === undefined) continue;
        const recorded = decodeRecorded(event);
        this.events.push(recorded);
        this.state = evolve(this.state, recorded);
        for (const look of this.looking) look();
      }
    } catch {
      // The store has ended, or nobody watches any more. Whoever still waits is told so when the time is up.
    }
  }

  private until(what: string, isSo: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        this.looking.delete(look);
      };
      const look = (): void => {
        if (!isSo()) return;
        done();
        resolve();
      };
      const timer = setTimeout(() => {
        done();
        const calls = Object.values(this.state.run?.calls ?? {}).map(({ id, phase }) => `${id} ${phase}`);
        reject(new Error(`waited ${waitMs} ms for the run ${what}; it is at ${this.revision}: ${calls.join(', ')}`));
      }, waitMs);
      this.looking.add(look);
      look();
    });
  }
}
