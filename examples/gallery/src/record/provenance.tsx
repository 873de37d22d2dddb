import { useLanguage } from '../lib/settings.ts';
import { Address } from '../ui/address.tsx';
import { Time } from '../ui/time.tsx';
import { useWords } from '../words/words.ts';
import type { RecordDetails } from './details.ts';

export function Provenance({ record }: { record: RecordDetails }) {
  const words = useWords();
  const english = useLanguage() === 'en';
  const { createdAt, issuer } = record;
  const transfers = (record.provenance?.edges ?? []).flatMap((edge) => edge?.node ?? []);
  return (
    <section aria-labelledby="provenance">
      <h2 id="provenance">{words.provenance}</h2>
      {!createdAt && <p className="quiet">{words.chainNot}</p>}
      <ol className="timeline">
        {createdAt && (
          <li>
            <Time at={createdAt} />
            <p>
              {words.issuedBy} {issuer && (english ? issuer.englishName : issuer.originalName)}
            </p>
          </li>
        )}
        {transfers.map(({ id, to, timestamp, customHistory }) => (
          <li key={id}>
            <Time at={timestamp} />
            <p>
              {words.passedTo} <Address of={to} />
            </p>
            {customHistory && <p className="quiet">{customHistory.name}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}
