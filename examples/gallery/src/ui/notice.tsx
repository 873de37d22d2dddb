import { useWords } from '../words/words.ts';
import './notice.css';

interface NoticeProps {
  error: { message: string };
  retry?: () => void;
}

/** Something went wrong, and what to do. Messages of the gateway are English. */
export function Notice({ error, retry }: NoticeProps) {
  const words = useWords();
  // Without an answer, fetch throws an error that says only "Failed to fetch".
  const unreachable = error instanceof TypeError;
  return (
    <div className="notice" role="alert">
      {unreachable ? <p>{words.unreachable}</p> : <p lang="en">{error.message}</p>}
      {retry && (
        <button type="button" onClick={retry}>
          {words.tryAgain}
        </button>
      )}
    </div>
  );
}
