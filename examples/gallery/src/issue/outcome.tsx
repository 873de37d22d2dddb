import type { EntryStateFragment } from '../gql/graphql.ts';
import { Link, recordPath } from '../lib/router.tsx';
import { Badges } from '../ui/badge.tsx';
import { Picture } from '../ui/picture.tsx';
import { Text } from '../ui/text.tsx';
import { useWords } from '../words/words.ts';
import type { Work } from './draft.ts';
import { Preview } from './preview.tsx';

/** What has become of one work. Its picture comes when IPFS has it. */
export function Outcome({ entry, work }: { entry: EntryStateFragment; work: Work | undefined }) {
  const words = useWords();
  const { srr, status, error } = entry;
  const title = srr?.metadata?.title;
  return (
    <li className="card" data-status={status}>
      {srr?.metadata ? (
        <Picture sizes={srr.metadata.image} alt={title?.text ?? words.untitled} shown="15rem" retries={8} />
      ) : (
        <Preview id={entry.externalId} image={work?.image} />
      )}
      <h2>{title ? <Text of={title} /> : work?.title}</h2>
      <p className="quiet">{words.status[status]}</p>
      {error && (
        <p className="fault" lang="en">
          {error.message}
        </p>
      )}
      {srr && <Badges status={srr.metadataStatus} indexing={srr.indexing} />}
      {srr && status === 'ISSUED' && <Link to={recordPath(srr)}>{words.open}</Link>}
    </li>
  );
}
