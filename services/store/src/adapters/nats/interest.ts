// Which conversations the other replicas of the store watch.
//
// Each replica announces the conversations that it has watchers of: at once when that changes, all of them every few
// seconds and whenever another one asks. What is not renewed is forgotten: a replica that died watches nothing.
import { isUuid } from '@stopgo/core';
import { interestKeptMs, interestMax, interestPerMessageMax } from './bounds.ts';

/** How many watch a conversation at one replica. */
export type Watched = readonly [conversationId: string, watchers: number];

/** What one replica says: of some conversations, how many watch them there; 0: nobody any more. */
export type Announcement = { readonly replica: string; readonly watched: readonly Watched[] };

/** Announcements in messages of a bounded size. */
export function encodeAnnouncements(replica: string, watched: readonly Watched[]): string[] {
  const messages: string[] = [];
  for (let from = 0; from < watched.length; from += interestPerMessageMax)
    messages.push(JSON.stringify({ replica, watched: watched.slice(from, from + interestPerMessageMax) }));
  return messages;
}

/** Undefined for a message that is none of ours. */
export function decodeAnnouncement(text: string): Announcement | undefined {
  try {
    const { replica, watched }: { replica?: unknown; watched?: unknown } = JSON.parse(text);
    if (typeof replica !== 'string' || !Array.isArray(watched)) return undefined;
    return { replica, watched: watched.filter(isWatched).slice(0, interestPerMessageMax) };
  } catch {
    return undefined;
  }
}

function isWatched(entry: unknown): entry is Watched {
  if (!Array.isArray(entry)) return false;
  const [id, watchers] = entry;
  return typeof id === 'string' && isUuid(id) && Number.isSafeInteger(watchers) && watchers >= 0;
}

/** What the others announced and is not too old. */
export class RemoteInterest {
  readonly #now: () => number;
  readonly #byConversation = new Map<string, Map<string, { readonly watchers: number; readonly at: number }>>();
  #entries = 0;

  /** `now`: a clock that only goes forward, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  note({ replica, watched }: Announcement): void {
    for (const [conversationId, watchers] of watched) {
      this.#drop(conversationId, replica);
      if (watchers === 0 || this.#entries >= interestMax) continue;
      const replicas = this.#byConversation.get(conversationId) ?? new Map();
      this.#byConversation.set(conversationId, replicas.set(replica, { watchers, at: this.#now() }));
      this.#entries++;
    }
  }

  /** How many watch a conversation elsewhere. */
  watchers(conversationId: string): number {
    const oldest = this.#now() - interestKeptMs;
    let sum = 0;
    for (const [replica, { watchers, at }] of this.#byConversation.get(conversationId) ?? []) {
      if (at < oldest) this.#drop(conversationId, replica);
      else sum += watchers;
    }
    return sum;
  }

  /** Forgets all that was not renewed. */
  sweep(): void {
    for (const conversationId of [...this.#byConversation.keys()]) this.watchers(conversationId);
  }

  #drop(conversationId: string, replica: string): void {
    const replicas = this.#byConversation.get(conversationId);
    if (replicas?.delete(replica) !== true) return;
    this.#entries--;
    if (replicas.size === 0) this.#byConversation.delete(conversationId);
  }
}
