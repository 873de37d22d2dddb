import type { Indexing, MetadataStatus } from '../gql/graphql.ts';
import { useWords } from '../words/words.ts';
import './badge.css';

/** The status of a record. A badge never claims more than the gateway does. */
export function Badges({ status, indexing }: { status: MetadataStatus; indexing: Indexing }) {
  const words = useWords();
  const waits = status === 'PENDING' || status === 'TIMEOUT' || status === 'UNAVAILABLE';
  return (
    <span className="badges">
      <span className="badge" data-tone={status === 'VERIFIED' ? 'good' : waits ? 'wait' : 'bad'}>
        <span aria-hidden="true">{status === 'VERIFIED' ? '✓' : waits ? '…' : '!'}</span>{' '}
        {words.metadataStatus[status]}
      </span>
      {indexing !== 'INDEXED' && (
        <span className="badge" data-tone="wait">
          <span aria-hidden="true">…</span> {words.indexing[indexing]}
        </span>
      )}
    </span>
  );
}
