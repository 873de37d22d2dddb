import type { GatewayEvent } from '@srr-gateway/client';
import { client } from '../lib/gateway.ts';
import { createStore } from '../lib/store.ts';

/** How many events are kept to look at; the gateway keeps all of them. */
const kept = 50;

const key = 'events';

interface Stored {
  cursor?: string;
  events?: GatewayEvent[];
}

interface Feed {
  events: GatewayEvent[];
  live: boolean;
}

/** The issuer's events as they come. */
export const feed = createStore<Feed>({ events: [], live: false });

/** The cursor is stored with the events: a later visit goes on where this one ended. */
export function followEvents(): () => void {
  const ending = new AbortController();
  const stored = JSON.parse(localStorage.getItem(key) ?? '{}') as Stored;
  const show = (events: GatewayEvent[], live = true) => feed.set({ events, live });
  show(stored.events ?? []);
  client
    .follow({
      after: stored.cursor,
      from: 'BEGINNING',
      signal: ending.signal,
      onEvent: (event) => show([event, ...feed.get().events].slice(0, kept)),
      save: (cursor) => {
        const next: Stored = { cursor, events: feed.get().events };
        localStorage.setItem(key, JSON.stringify(next));
      },
      onRetry: () => show(feed.get().events, false),
    })
    // Such as a token that is not valid any more; the page says so already.
    .catch(() => !ending.signal.aborted && show(feed.get().events, false));
  return () => ending.abort();
}
