import { useWords } from '../words/words.ts';
import type { Work } from './draft.ts';
import type { FieldFault } from './faults.ts';
import { Faults } from './field.tsx';
import { useIssueState } from './state.ts';
import { attach } from './upload.ts';

export function UploadProgress({ work, faults }: { work: Work; faults: FieldFault[] }) {
  const words = useWords();
  const state = useIssueState();
  const progress = state.progress[work.id];
  const text = work.image ? words.uploaded : progress?.phase === 'sending' ? words.sending : words.hashing;
  const share = work.image ? 1 : progress ? progress.bytes / progress.total : 0;
  return (
    <div className="progress">
      {state.lost[work.id] && !work.image ? (
        <label>
          <span className="fault">{words.chooseAgain}</span>{' '}
          <input
            type="file"
            accept="image/*"
            onChange={(event) => event.target.files?.[0] && attach(work.id, event.target.files[0])}
          />
        </label>
      ) : (
        <>
          <progress aria-label={`${text}: ${work.title}`} value={share} />
          <span className="quiet">
            {text}
            {!work.image && progress && ` ${Math.floor(share * 100)}%`}
          </span>
        </>
      )}
      <Faults id={`${work.id}-file`} faults={faults} />
    </div>
  );
}
