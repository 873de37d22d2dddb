import type { ReactNode } from 'react';
import { Link } from '../lib/router.tsx';
import { useLanguage } from '../lib/settings.ts';
import { Address } from '../ui/address.tsx';
import { Text } from '../ui/text.tsx';
import { useWords } from '../words/words.ts';
import type { RecordDetails } from './details.ts';

type Size = NonNullable<NonNullable<RecordDetails['metadata']>['size']>;

export function Facts({ record }: { record: RecordDetails }) {
  const words = useWords();
  const english = useLanguage() === 'en';
  const { metadata, artist, issuer, collection, royalty } = record;
  const edition = metadata?.edition;
  return (
    <dl className="facts">
      <Fact name={words.artist}>
        {artist && (
          <Link to={`/?artist=${artist.address}`}>{english ? artist.englishName : artist.originalName}</Link>
        )}
      </Fact>
      <Fact name={words.year}>{metadata?.yearOfCreation && <Text of={metadata.yearOfCreation} />}</Fact>
      <Fact name={words.medium}>
        {metadata?.medium && <Text of={metadata.medium} />}
        {metadata?.isDigital && ` (${words.digital})`}
      </Fact>
      <Fact name={words.size}>{metadata?.size && sizeOf(metadata.size)}</Fact>
      <Fact name={words.edition}>
        {edition?.number != null && words.editionOf(edition.number, edition.totalNumber)}
        {edition?.note && (
          <>
            {' '}
            <Text of={edition.note} />
          </>
        )}
      </Fact>
      <Fact name={words.note}>{metadata?.note && <Text of={metadata.note} />}</Fact>
      <Fact name={words.collection}>
        {collection && <Link to={`/?collection=${collection.address}`}>{collection.name}</Link>}
      </Fact>
      <Fact name={words.issuer}>{issuer && (english ? issuer.englishName : issuer.originalName)}</Fact>
      <Fact name={words.owner}>{record.owner && <Address of={record.owner} />}</Fact>
      <Fact name={words.royalty}>
        {royalty && (
          <>
            {royalty.percent}% {words.royaltyTo} <Address of={royalty.receiver} />
          </>
        )}
      </Fact>
      <Fact name={words.tokenId}>
        <span className="mono">{record.tokenId}</span>
      </Fact>
      <Fact name={words.transfers}>{record.lockExternalTransfer && words.locked}</Fact>
    </dl>
  );
}

/** The known dimensions, or else the size in words. */
function sizeOf({ width, height, depth, unit, flexibleDescription }: Size): ReactNode {
  const sides = [width, height, depth].filter((side) => side != null);
  if (sides.length > 0) return `${sides.join(' × ')} ${unit ?? ''}`;
  return flexibleDescription && <Text of={flexibleDescription} />;
}

/** Omits facts that the record does not have. */
function Fact({ name, children }: { name: string; children: ReactNode }) {
  const hasValue = [children]
    .flat()
    .some((child) => child !== null && child !== undefined && child !== false);
  return (
    hasValue && (
      <div>
        <dt>{name}</dt>
        <dd>{children}</dd>
      </div>
    )
  );
}
