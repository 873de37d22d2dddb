import { createClient, type GatewayEvent } from '@srr-gateway/client';
import { gateway, token } from '../lib/settings.ts';
import { createStore } from '../lib/store.ts';

/** How many events this browser keeps; the gateway keeps all of them. */
const maxEvents = 50;

const key = 'events';

interface Stored {
  cursor?: string;
  events?: GatewayEvent[];
}

interface Feed {
  events: GatewayEvent[];
  live: boolean;
}

/** The issuer's events as they arrive. */
export const feed = createStore<Feed>({ events: [], live: false });

const change = (changes: Partial<Feed>) => feed.set({ ...feed.get(), ...changes });

const client = createClient({
  url: gateway,
  token: token.get,
  // The next event may be hours away, so a response already shows that the connection works.
  fetch: async (...request) => {
    const response = await fetch(...request);
    if (response.ok) change({ live: true });
    return response;
  },
});

/** Stores the cursor with the events, so that a later visit resumes where this one ended. */
export function followEvents(): () => void {
  const controller = new AbortController();
  const stored = JSON.parse(localStorage.getItem(key) ?? '{}') as Stored;
  change({ events: stored.events ?? [], live: false });
  client
    .follow({
      after: stored.cursor,
      from: 'BEGINNING',
      signal: controller.signal,
      onEvent: (event) => change({ events: [event, ...feed.get().events].slice(0, maxEvents) }),
      save: (cursor) => {
        const next: Stored = { cursor, events: feed.get().events };
        localStorage.setItem(key, JSON.stringify(next));
      },
      onRetry: () => change({ live: false }),
    })
    // Such as a token that is no longer valid, which the page shows already.
    .catch(() => !controller.signal.aborted && change({ live: false }));
  return () => controller.abort();
}
