import type { EntryStateFragment } from '../gql/graphql.ts';
import { Link, recordPath } from '../lib/router.tsx';
import { Badges } from '../ui/badge.tsx';
import { Picture } from '../ui/picture.tsx';
import { Text } from '../ui/text.tsx';
import { useWords } from '../words/words.ts';
import type { Work } from './draft.ts';
import { Failure } from './failure.tsx';
import { Preview } from './preview.tsx';

/** The outcome of one work. Its picture appears when IPFS has it. */
export function Outcome({ entry, work }: { entry: EntryStateFragment; work: Work | undefined }) {
  const words = useWords();
  const { srr, status, error, input } = entry;
  const metadata = status === 'FAILED' ? undefined : srr?.metadata;
  const title = metadata?.title;
  return (
    <li className="card" data-status={status}>
      {metadata ? (
        <Picture
          sizes={metadata.image}
          alt={title?.text ?? words.untitled}
          displayWidth="15rem"
          retries={8}
        />
      ) : (
        <Preview id={entry.externalId} image={work?.image} />
      )}
      <h2>{title ? <Text of={title} /> : work?.title}</h2>
      <p className="quiet">{words.status[status]}</p>
      {error && <Failure input={input} error={error} name={work?.title ?? entry.externalId} />}
      {srr && status === 'ISSUED' && (
        <>
          <Badges status={srr.metadataStatus} indexing={srr.indexing} />
          <Link to={recordPath(srr)}>{words.open}</Link>
        </>
      )}
    </li>
  );
}
