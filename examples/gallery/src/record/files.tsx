import { useWords } from '../words/words.ts';
import type { RecordDetails } from './details.ts';

/** Links to the originals on IPFS, which anybody can check against their CIDs. */
export function Files({ record }: { record: RecordDetails }) {
  const words = useWords();
  const { metadata } = record;
  const hashed = [...(metadata?.digitalComponents ?? []), ...(metadata?.attachmentFiles ?? [])];
  const links: [string, string | null | undefined][] = [
    [words.document, record.metadataUrl],
    [words.picture, metadata?.image?.url],
    [words.thumbnail, metadata?.thumbnail?.url],
    [words.terms, metadata?.contractTerms?.file?.url],
  ];
  return (
    <section aria-labelledby="files">
      <h2 id="files">{words.files}</h2>
      <ul className="files">
        {links.map(
          ([name, url]) =>
            url && (
              <li key={name}>
                <a href={url} target="_blank" rel="noreferrer">
                  {name}
                </a>
              </li>
            ),
        )}
        {hashed.map(({ hash, category }) => (
          <li key={hash}>
            {category} <span className="mono quiet">{hash}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
