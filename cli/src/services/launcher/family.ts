import type { NamedStop } from '@stopgo/runtime';
import { Child, type ChildDependencies, type ChildSpec } from './child.ts';

/** All processes of a launcher, by what they are. Whatever happens to the launcher, none of them is left behind. */
export class Family {
  readonly #given: ChildDependencies;
  readonly #groups: { readonly name: string; readonly children: readonly Child[] }[] = [];

  constructor(given: ChildDependencies, host: NodeJS.Process) {
    this.#given = given;
    // A second signal, an error that nobody caught: there is no time to ask. (Of a SIGKILL they hear by their channels.)
    host.once('exit', () => {
      for (const { children } of this.#groups) for (const child of children) child.kill();
    });
  }

  /** Starts replicas at once; resolves when all can work, rejects as soon as one cannot. */
  async start(group: string, specs: readonly ChildSpec[], signal: AbortSignal): Promise<void> {
    const children = specs.map((spec) => new Child(spec, this.#given));
    this.#groups.push({ name: group, children });
    await Promise.all(children.map((child) => child.start(signal)));
  }

  /** Where the replicas of a group are, once they can work. */
  addressesOf(group: string): readonly string[] {
    return this.#groups
      .filter(({ name }) => name === group)
      .flatMap(({ children }) => children.map(({ address }) => address));
  }

  /** Stops group by group, the last started first. */
  async stop(): Promise<void> {
    for (const { children } of this.#groups.splice(0).reverse())
      await Promise.all(children.map((child) => child.stop()));
  }

  /** For whoever stops it together with others. */
  part(): NamedStop {
    return { name: 'services', stop: () => this.stop() };
  }
}
