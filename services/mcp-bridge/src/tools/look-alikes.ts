import { lookAlikeKeys, spelledName } from '@stopgo/core';

/** What is known under names of which no two may look alike. */
export class LookAlikes<Owner> {
  readonly #owners = new Map<string, Owner>();

  /** Whose name the given one looks like, if there is one; it may be the same name. */
  find(name: string): Owner | undefined {
    for (const key of lookAlikeKeys(name)) {
      const owner = this.#owners.get(key);
      if (owner !== undefined) return owner;
    }
    return undefined;
  }

  add(name: string, owner: Owner): void {
    for (const key of lookAlikeKeys(name)) if (!this.#owners.has(key)) this.#owners.set(key, owner);
  }
}

/** Says so, with both names spelled so that they can be told apart. */
export function looksLike(name: string, other: string): string {
  return `its name ${spelledName(name)} looks like that of ${spelledName(other)}`;
}
