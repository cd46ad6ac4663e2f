import { problemsMax } from './bounds.ts';

/** Collects what is wrong, up to the bound. */
export class Problems {
  readonly found: string[] = [];

  get full(): boolean {
    return this.found.length >= problemsMax;
  }

  add(problem: string): void {
    if (!this.full) this.found.push(problem);
    if (this.found.length === problemsMax - 1) this.found.push('there is more; only so many problems are listed');
  }
}

/** True for the same bytes. */
export function equal(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
