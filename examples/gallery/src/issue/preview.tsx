import { useEffect, useState } from 'react';
import { keptFile } from './files.ts';

/** The chosen picture, from this browser's own copy. */
export function Preview({ id, lost }: { id: string; lost: boolean | undefined }) {
  const [url, setUrl] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a file chosen again is another one under the same id
  useEffect(() => {
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
  return <div className="picture">{url && <img src={url} alt="" data-loaded="true" />}</div>;
}
