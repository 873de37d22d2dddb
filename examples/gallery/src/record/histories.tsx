import { Text } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { useWords } from '../words/words.ts';
import type { RecordDetails } from './details.ts';

/** Exhibitions and auctions, and the documents that the record has had. A section without content is left out. */
export function Histories({ record }: { record: RecordDetails }) {
  const words = useWords();
  const histories = (record.customHistories?.edges ?? []).flatMap((edge) => edge?.node ?? []);
  const documents = (record.metadataHistory?.edges ?? []).flatMap((edge) => edge?.node ?? []);
  return (
    <>
      {histories.length > 0 && (
        <section aria-labelledby="histories">
          <h2 id="histories">{words.histories}</h2>
          <ol className="timeline">
            {histories.map(({ id, name, createdAt }) => (
              <li key={id}>
                <Time at={createdAt} />
                <p>{name}</p>
              </li>
            ))}
          </ol>
        </section>
      )}
      {documents.length > 1 && (
        <section aria-labelledby="documents">
          <h2 id="documents">{words.documents}</h2>
          <ol className="timeline">
            {documents.map(({ id, createdAt, metadataDigest, metadata }) => (
              <li key={id}>
                <Time at={createdAt} />
                <p>{metadata?.title && <Text of={metadata.title} />}</p>
                <p className="mono quiet">{metadataDigest}</p>
              </li>
            ))}
          </ol>
        </section>
      )}
    </>
  );
}
