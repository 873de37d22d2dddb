import { useEffect, useState } from 'react';
import { useWords } from '../words/words.ts';
import './picture.css';

/** The addresses of two sizes, as the fragment `Pictured` selects them. */
export interface Sizes {
  small: string;
  large: string;
  smallWidth?: number;
  largeWidth?: number;
}

interface PictureProps {
  sizes: Sizes | null | undefined;
  alt: string;
  /** The displayed width, for `sizes`. */
  displayWidth: string;
  /** For pictures of the first screen. */
  eager?: boolean;
  /** How often to retry a picture that is not available yet: new content takes a moment on IPFS. */
  retries?: number;
}

export function Picture({ sizes, alt, displayWidth, eager = false, retries = 0 }: PictureProps) {
  const words = useWords();
  const [failures, setFailures] = useState(0);
  const [attempt, setAttempt] = useState(0);
  const [loaded, setLoaded] = useState(false);
  const missing = !sizes || failures > retries;

  useEffect(() => {
    if (failures === 0 || failures > retries) return;
    const timer = setTimeout(() => setAttempt(failures), Math.min(1000 * 2 ** failures, 8000));
    return () => clearTimeout(timer);
  }, [failures, retries]);

  if (missing)
    return (
      <div
        className="picture picture-missing"
        role="img"
        aria-label={[alt, words.pictureMissing].filter(Boolean).join(': ')}
      >
        <span aria-hidden="true">{words.pictureMissing}</span>
      </div>
    );
  return (
    <div className="picture">
      <img
        // A new element loads the picture again.
        key={attempt}
        src={sizes.small}
        srcSet={`${sizes.small} ${sizes.smallWidth ?? 320}w, ${sizes.large} ${sizes.largeWidth ?? 640}w`}
        sizes={displayWidth}
        alt={alt}
        loading={eager ? 'eager' : 'lazy'}
        fetchPriority={eager ? 'high' : 'auto'}
        decoding="async"
        data-loaded={loaded}
        onLoad={() => setLoaded(true)}
        onError={() => setFailures((count) => count + 1)}
      />
    </div>
  );
}
