import { useQuery } from '@apollo/client/react';
import type { FileRefInput } from '@srr-gateway/client';
import { useEffect, useState } from 'react';
import { UploadedFileDocument } from '../gql/graphql.ts';
import { loadFile } from './files.ts';
import { useIssueState } from './state.ts';

/** The chosen picture: the copy in this browser, or else the uploaded one. */
export function Preview({ id, image }: { id: string; image?: FileRefInput | undefined }) {
  const [url, setUrl] = useState<string>();
  const lost = useIssueState().lost[id];
  const upload = image?.upload;
  const { data } = useQuery(UploadedFileDocument, {
    variables: { id: upload ?? '' },
    skip: !upload || url !== undefined,
    context: { signedIn: true },
    // Not cached: the address is valid for minutes, and each query makes a new one.
    fetchPolicy: 'no-cache',
  });
  useEffect(() => {
    if (lost) return;
    let objectUrl: string | undefined;
    let gone = false;
    void loadFile(id).then((file) => {
      if (!file || gone) return;
      objectUrl = URL.createObjectURL(file);
      setUrl(objectUrl);
    });
    return () => {
      gone = true;
      if (objectUrl) URL.revokeObjectURL(objectUrl);
    };
  }, [id, lost]);
  const stored = data?.node && 'downloadUrl' in data.node && data.node.downloadUrl;
  const src = url || stored;
  return <div className="picture">{src && <img src={src} alt="" data-loaded="true" />}</div>;
}
