import { useSyncExternalStore } from 'react';

/** A text that localStorage keeps and every component sees change. */
export function stored(key: string, initial: string) {
  const listeners = new Set<() => void>();
  let value = localStorage.getItem(key) ?? initial;
  const get = () => value;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const set = (next: string) => {
    value = next;
    localStorage.setItem(key, next);
    for (const listener of listeners) listener();
  };
  return { get, set, use: () => useSyncExternalStore(subscribe, get) };
}
