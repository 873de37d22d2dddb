import type { GatewayEvent } from '@srr-gateway/client';
import { client } from '../lib/gateway.ts';
import { token } from '../lib/settings.ts';

/** How many events are kept to look at; the gateway keeps all of them. */
const kept = 50;

interface State {
  events: GatewayEvent[];
  live: boolean;
}

const key = 'events';

/** The issuer's events as they come. The cursor is stored with them: a later visit goes on where this one ended. */
class Feed {
  #listeners = new Set<() => void>();
  #ending = new AbortController();
  #following = '';
  state: State = { events: [], live: false };

  subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    if (this.#following !== token.get()) this.#start();
    return () => void this.#listeners.delete(listener);
  };

  #start() {
    this.#ending.abort();
    const ending = new AbortController();
    this.#ending = ending;
    this.#following = token.get();
    const stored = JSON.parse(localStorage.getItem(key) ?? '{}') as Stored;
    this.#set({ events: stored.events ?? [], live: true });
    client()
      .follow({
        after: stored.cursor,
        from: 'BEGINNING',
        signal: ending.signal,
        onEvent: (event) => this.#set({ events: [event, ...this.state.events].slice(0, kept), live: true }),
        save: (cursor) => {
          const next: Stored = { cursor, events: this.state.events };
          localStorage.setItem(key, JSON.stringify(next));
        },
        onRetry: () => this.#set({ ...this.state, live: false }),
      })
      // Such as a token that is not valid any more; the page says so already.
      .catch(() => this.#set({ ...this.state, live: false }));
  }

  #set(state: State) {
    this.state = state;
    for (const listener of this.#listeners) listener();
  }
}

interface Stored {
  cursor?: string;
  events?: GatewayEvent[];
}

export const feed = new Feed();
