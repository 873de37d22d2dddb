import { createClient, type GatewayEvent } from '@srr-gateway/client';
import { gateway, token } from '../lib/settings.ts';
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

const change = (changes: Partial<Feed>) => feed.set({ ...feed.get(), ...changes });

const client = createClient({
  url: gateway,
  token: token.get,
  // The next event may be hours away: the answer shows that the connection is there.
  fetch: async (...request) => {
    const response = await fetch(...request);
    if (response.ok) change({ live: true });
    return response;
  },
});

/** The cursor is stored with the events: a later visit goes on where this one ended. */
export function followEvents(): () => void {
  const ending = new AbortController();
  const stored = JSON.parse(localStorage.getItem(key) ?? '{}') as Stored;
  change({ events: stored.events ?? [], live: false });
  client
    .follow({
      after: stored.cursor,
      from: 'BEGINNING',
      signal: ending.signal,
      onEvent: (event) => change({ events: [event, ...feed.get().events].slice(0, kept) }),
      save: (cursor) => {
        const next: Stored = { cursor, events: feed.get().events };
        localStorage.setItem(key, JSON.stringify(next));
      },
      onRetry: () => change({ live: false }),
    })
    // Such as a token that is not valid any more; the page says so already.
    .catch(() => !ending.signal.aborted && change({ live: false }));
  return () => ending.abort();
}
