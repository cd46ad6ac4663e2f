import { useSyncExternalStore } from 'react';

/** A value that components read and that others change. */
export class Store<Value> {
  #value: Value;
  readonly #readers = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  get = (): Value => this.#value;

  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const tell of this.#readers) tell();
  }

  subscribe = (tell: () => void): (() => void) => {
    this.#readers.add(tell);
    return () => this.#readers.delete(tell);
  };
}

/** The value of a store, in a component that is drawn again when it changes. */
export const useStore = <Value>(store: Store<Value>): Value => useSyncExternalStore(store.subscribe, store.get);
