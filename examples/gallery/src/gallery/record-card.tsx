import type { CardFragment } from '../gql/graphql.ts';
import { Link, recordPath } from '../lib/router.tsx';
import { useLanguage } from '../lib/settings.ts';
import { Badges } from '../ui/badge.tsx';
import { Picture } from '../ui/picture.tsx';
import { Text } from '../ui/text.tsx';
import { useWords } from '../words/words.ts';

export function RecordCard({ record, eager }: { record: CardFragment; eager: boolean }) {
  const words = useWords();
  const { metadata, artist } = record;
  const english = useLanguage() === 'en';
  return (
    <li className="card" data-token={record.tokenId}>
      <Link to={recordPath(record)}>
        <Picture
          sizes={metadata?.thumbnail}
          alt=""
          displayWidth="(max-width: 40rem) 50vw, 18rem"
          eager={eager}
        />
        <h2>{metadata?.title?.text ? <Text of={metadata.title} /> : words.untitled}</h2>
      </Link>
      <p className="quiet">
        {artist && (english ? artist.englishName : artist.originalName)}
        {artist && metadata?.yearOfCreation?.text && '\u00a0·\u00a0'}
        {metadata?.yearOfCreation?.text}
      </p>
      <Badges status={record.metadataStatus} indexing={record.indexing} />
    </li>
  );
}
