import type { ReactNode } from 'react';
import { useWords } from '../words/words.ts';
import type { RecordDetails } from './details.ts';

/** Each line says what was verified against what, so that nobody has to trust a badge. */
export function Verification({ record }: { record: RecordDetails }) {
  const words = useWords();
  const { metadata, royalty } = record;
  const stated = metadata?.contractTerms?.royaltyRate;
  const verified = record.metadataStatus === 'VERIFIED';
  return (
    <section aria-labelledby="verification">
      <h2 id="verification">{words.verification}</h2>
      <ul className="checks">
        <Check good={verified}>
          {verified
            ? words.documentVerified
            : `${words.documentNot} (${words.metadataStatus[record.metadataStatus]})`}
          {record.metadataCID && <span className="mono quiet">{record.metadataCID}</span>}
        </Check>
        {metadata?.image && (
          <Check good={metadata.image.cid !== null}>
            {metadata.image.cid ? words.pictureVerified : words.pictureOutside}
            <span className="mono quiet">{metadata.image.cid}</span>
          </Check>
        )}
        <Check good={record.indexing === 'INDEXED'}>
          {record.indexedAtBlock ? words.chainAt(record.indexedAtBlock) : words.chainNot}
          <span className="mono quiet">{record.originTxHash}</span>
        </Check>
        {royalty && stated != null && (
          <Check good={royalty.percent === stated}>
            {royalty.percent === stated
              ? words.royaltyAgrees(stated)
              : words.royaltyDiffers(royalty.percent, stated)}
          </Check>
        )}
      </ul>
    </section>
  );
}

const Check = ({ good, children }: { good: boolean; children: ReactNode }) => (
  <li data-good={good}>
    <span aria-hidden="true">{good ? '✓' : '!'}</span>
    <div>{children}</div>
  </li>
);
