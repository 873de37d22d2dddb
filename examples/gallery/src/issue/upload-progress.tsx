import { useWords } from '../words/words.ts';
import type { Work } from './draft.ts';
import type { FieldFault } from './entry.ts';
import { Faults } from './field.tsx';
import type { Run, RunState } from './run.ts';

interface UploadProgressProps {
  run: Run;
  work: Work;
  state: RunState;
  faults: FieldFault[];
}

export function UploadProgress({ run, work, state, faults }: UploadProgressProps) {
  const words = useWords();
  const progress = state.progress[work.id];
  const text = work.upload ? words.uploaded : progress?.phase === 'sending' ? words.sending : words.hashing;
  const share = work.upload ? 1 : progress ? progress.bytes / progress.total : 0;
  if (state.lost[work.id] && !work.upload)
    return (
      <label className="progress fault">
        {words.chooseAgain}{' '}
        <input
          type="file"
          accept="image/*"
          onChange={(event) => event.target.files?.[0] && run.attach(work, event.target.files[0])}
        />
      </label>
    );
  return (
    <div className="progress">
      <progress aria-label={`${text}: ${work.title}`} value={share} />
      <span className="quiet">
        {text}
        {!work.upload && progress && ` ${Math.floor(share * 100)} %`}
      </span>
      <Faults id={`${work.id}-file`} faults={faults} />
    </div>
  );
}
