import { useEffect, useRef } from 'react';
import { Store, useStore } from '../state/store.ts';

// Keys without a modifier. They can be switched off, since speech input and shaking hands press them unawares.

const name = 'stopgo.shortcuts';
const areOn = new Store(localStorage.getItem(name) !== 'off');

export const useShortcutsAreOn = (): boolean => useStore(areOn);

export function setShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(name);
  else localStorage.setItem(name, 'off');
  areOn.set(on);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Does something when a key is pressed and nobody is typing. Undefined for a key: nothing now. */
export function useShortcuts(keys: Readonly<Record<string, (() => void) | undefined>>): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !areOn.get()) return;
      if (isTyping(event.target) || document.querySelector('[role="dialog"]') !== null) return;
      const act = current.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}
