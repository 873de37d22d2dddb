import { useEffect } from 'react';
import { Time } from '../ui/time.tsx';
import { useWords } from '../words/words.ts';
import { feed, followEvents } from './feed.ts';

export function Events() {
  const words = useWords();
  const { events, live } = feed.use();
  useEffect(followEvents, []);
  return (
    <section aria-labelledby="events">
      <h2 id="events">{words.events}</h2>
      <p className="quiet live" data-live={live} role="status">
        {live ? words.following : words.connecting}
      </p>
      {events.length === 0 && <p className="quiet">{words.noEvents}</p>}
      <ol className="timeline" aria-live="polite">
        {events.map((event) => (
          <li key={event.id}>
            <Time at={event.receivedAt} clock />
            <p>{words.eventTypes[event.__typename]}</p>
            {'srr' in event && <p className="mono quiet">{event.srr.tokenId}</p>}
            {'error' in event && (
              <p className="fault" lang="en">
                {event.error.message}
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
