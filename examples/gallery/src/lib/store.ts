import { useSyncExternalStore } from 'react';

/** State outside React, which outlives the components that show it. */
export function createStore<State>(initial: State) {
  const listeners = new Set<() => void>();
  let state = initial;
  const get = () => state;
  const set = (next: State) => {
    state = next;
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return { get, set, subscribe, use: () => useSyncExternalStore(subscribe, get) };
}
