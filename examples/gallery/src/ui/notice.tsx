import { useWords } from '../words/words.ts';
import './notice.css';

/** Something went wrong, and what to do. Messages of the gateway are English. */
export function Notice({ error, retry }: { error: { message: string }; retry?: () => void }) {
  const words = useWords();
  return (
    <div className="notice" role="alert">
      <p lang="en">{error.message}</p>
      {retry && (
        <button type="button" onClick={retry}>
          {words.tryAgain}
        </button>
      )}
    </div>
  );
}
