import { useQuery } from '@apollo/client/react';
import type { FileRefInput } from '@srr-gateway/client';
import { useEffect, useState } from 'react';
import { UploadedFileDocument } from '../gql/graphql.ts';
import { keptFile } from './files.ts';
import { useIssueState } from './state.ts';

/** The chosen picture: this browser's own copy, or else the one that was uploaded. */
export function Preview({ id, image }: { id: string; image?: FileRefInput | undefined }) {
  const [url, setUrl] = useState<string>();
  const lost = useIssueState().lost[id];
  const upload = image?.upload;
  const { data } = useQuery(UploadedFileDocument, {
    variables: { id: upload ?? '' },
    skip: !upload || url !== undefined,
    context: { signedIn: true },
    // Its address opens the file for minutes only, and is made anew by each query.
    fetchPolicy: 'no-cache',
  });
  useEffect(() => {
    if (lost) return;
    let made: string | undefined;
    let gone = false;
    void keptFile(id).then((file) => {
      if (!file || gone) return;
      made = URL.createObjectURL(file);
      setUrl(made);
    });
    return () => {
      gone = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [id, lost]);
  const stored = data?.node && 'downloadUrl' in data.node && data.node.downloadUrl;
  const shown = url || stored;
  return <div className="picture">{shown && <img src={shown} alt="" data-loaded="true" />}</div>;
}
