import { useWords } from '../words/words.ts';
import './notice.css';

interface NoticeProps {
  error: { message: string };
  /** Says it in the language of the page, where the page knows what the error is. */
  text?: string;
  retry?: () => void;
}

/** Something went wrong, and what to do. Messages of the gateway are English. */
export function Notice({ error, text, retry }: NoticeProps) {
  const words = useWords();
  // Without an answer, fetch throws an error that says only "Failed to fetch".
  const known = text ?? (error instanceof TypeError ? words.unreachable : undefined);
  return (
    <div className="notice" role="alert">
      {known ? <p>{known}</p> : <p lang="en">{error.message}</p>}
      {retry && (
        <button type="button" onClick={retry}>
          {words.tryAgain}
        </button>
      )}
    </div>
  );
}
