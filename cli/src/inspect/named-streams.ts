import type { store } from '@stopgo/proto';

/** A stream whose event names another one, and the revision of the first event that does. */
type Namer = { readonly stream: string; readonly revision: number };

/** Those who name a stream: the first of them, and how many there are. */
type Namers = { readonly first: Namer[]; count: number };

/** Of those who name a stream so many are kept and shown: a definition may be named by every conversation. */
const shownMax = 10;

/** True for a set of tools: it names its tools, and conversations name it, so that who is hurt by a missing tool is found through it. */
export const isToolset = (stream: string): boolean => stream.startsWith('toolset-');

/**
 * What the streams of a log name, and which of it the log does not have. It keeps names, and of each
 * the first who name it; no events.
 */
export class NamedStreams {
  readonly #there = new Set<string>();
  readonly #namers = new Map<string, Namers>();

  /** Takes what was found of one stream. One without events is not there. */
  add(stream: string, { events, named }: Pick<store.VerifyStreamResponse, 'events' | 'named'>): void {
    if (events > 0) this.#there.add(stream);
    for (const { stream: name, revision } of named) {
      const namers = this.#namers.get(name) ?? { first: [], count: 0 };
      this.#namers.set(name, namers);
      namers.count += 1;
      if (namers.first.length < shownMax) namers.first.push({ stream, revision });
    }
  }

  /**
   * A line for each stream that is named and is not there, in order of name. `isThere` is asked of those that were not taken: they may
   * have been appended since.
   */
  async *missing(isThere: (stream: string) => Promise<boolean>): AsyncGenerator<string, void> {
    for (const name of [...this.#namers.keys()].toSorted())
      if (!this.#there.has(name) && !(await isThere(name))) yield `${name}: ${this.#problemOf(name)}`;
  }

  #problemOf(name: string): string {
    const shown = new Map<string, string>();
    let count = 0;
    const add = ({ first, count: all }: Namers, through: string) => {
      count += all;
      for (const { stream, revision } of first)
        if (!shown.has(stream)) shown.set(stream, `event ${revision} of ${stream}${through}`);
        else count -= 1;
    };
    const direct = this.#namers.get(name) ?? { first: [], count: 0 };
    const isSet = ({ stream }: Namer) => isToolset(stream) && this.#namers.has(stream);
    const sets = direct.first.filter(isSet);
    add({ first: direct.first.filter((one) => !isSet(one)), count: direct.count - sets.length }, '');
    for (const { stream } of sets) {
      const namers = this.#namers.get(stream);
      if (namers !== undefined) add(namers, ` through ${stream}`);
    }
    const lines = [...shown.values()].slice(0, shownMax);
    return `${whatOf(name)} is gone from the log; named by ${lines.join(', ')}${count > lines.length ? ' and others' : ''}`;
  }
}

function whatOf(name: string): string {
  const kind = name.slice(0, name.indexOf('-'));
  if (kind === 'agent') return 'the definition of an agent';
  if (kind === 'toolset') return 'the definition of a set of tools';
  if (kind === 'policy') return 'the rules of a policy';
  return kind === 'tool' ? 'the definition of a tool' : 'this conversation';
}
