import { useQuery } from '@apollo/client/react';
import { useEffect } from 'react';
import { RecordDocument } from '../gql/graphql.ts';
import { useLanguage } from '../lib/settings.ts';
import { Badges } from '../ui/badge.tsx';
import { NothingHere } from '../ui/nothing-here.tsx';
import { Notice } from '../ui/notice.tsx';
import { Picture } from '../ui/picture.tsx';
import { Text } from '../ui/text.tsx';
import { useWords } from '../words/words.ts';
import { Facts } from './facts.tsx';
import { Files } from './files.tsx';
import { Histories } from './histories.tsx';
import { Provenance } from './provenance.tsx';
import { Verification } from './verification.tsx';
import '../ui/timeline.css';
import './record.css';

export function RecordPage({ contract, tokenId }: { contract: string; tokenId: string }) {
  const words = useWords();
  const { data, loading, error, refetch } = useQuery(RecordDocument, {
    variables: {
      tokenId,
      contract: contract === 'registry' ? null : contract,
      languages: [useLanguage()],
    },
  });
  const record = data?.srr;
  const title = record?.metadata?.title?.text || words.untitled;
  useEffect(() => {
    if (record) document.title = title;
    else if (!loading && !error) document.title = words.noRecord;
  }, [loading, error, record, title, words]);

  if (loading && !record) return <p className="quiet wait">{words.loading}</p>;
  if (!record && error) return <Notice error={error} retry={() => void refetch()} />;
  if (!record) return <NothingHere title={words.noRecord} />;
  const { metadata } = record;
  return (
    <article className="record">
      <div className="record-picture">
        <Picture
          sizes={
            metadata?.image && {
              small: metadata.image.small,
              large: metadata.image.large,
              smallWidth: 640,
              largeWidth: 1440,
            }
          }
          alt={title}
          displayWidth="(max-width: 60rem) 95vw, 55vw"
          eager
          retries={5}
        />
      </div>
      <div className="record-words">
        <header>
          <h1>{metadata?.title?.text ? <Text of={metadata.title} /> : title}</h1>
          <Badges status={record.metadataStatus} indexing={record.indexing} />
        </header>
        {error && <Notice error={error} retry={() => void refetch()} />}
        <Facts record={record} />
        <Provenance record={record} />
        <Histories record={record} />
        <Verification record={record} />
        <Files record={record} />
      </div>
    </article>
  );
}
