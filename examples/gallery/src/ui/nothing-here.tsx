import { Link } from '../lib/router.tsx';
import { useWords } from '../words/words.ts';

/** The page for an unknown address. */
export function NothingHere({ title }: { title: string }) {
  const words = useWords();
  return (
    <div className="narrow">
      <h1>{title}</h1>
      <p>
        <Link to="/">{words.toGallery}</Link>
      </p>
    </div>
  );
}
