import { useEffect } from 'react';
import { token } from '../lib/settings.ts';
import { SignIn } from '../ui/sign-in.tsx';
import { useWords } from '../words/words.ts';
import { Choose } from './choose.tsx';
import { issue } from './form.ts';
import './resume.ts';
import { useIssueState } from './state.ts';
import { Steps } from './steps.tsx';
import { WorkForm } from './work-form.tsx';
import './issue.css';

export function IssuePage() {
  const words = useWords();
  return (
    <div className="narrow">
      <h1>{words.issue}</h1>
      <SignIn />
      {token.use() && <Issue />}
    </div>
  );
}

function Issue() {
  const words = useWords();
  const { draft, faults, disconnected } = useIssueState();
  const editing = draft.phase === 'editing';
  useEffect(() => {
    // After a refusal, not while people mend its faults.
    if (editing) document.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [editing]);
  const general = faults.filter(({ work, field }) => work === undefined || !field);
  return (
    <>
      {disconnected && (
        <p className="notice" role="status">
          {words.connectionLost}
        </p>
      )}
      {faults.length > 0 && (
        <div className="notice" role="alert">
          <p>{words.faultsFound(faults.length)}</p>
          {general.map(({ message }) => (
            <p key={message} lang="en">
              {message}
            </p>
          ))}
        </div>
      )}
      {editing && <Choose collection={draft.collection} />}
      {draft.phase !== 'sent' && (
        <ul className="works">
          {draft.works.map((work) => (
            <WorkForm
              key={work.id}
              work={work}
              faults={faults.filter((fault) => fault.work === work.id)}
              disabled={!editing}
            />
          ))}
        </ul>
      )}
      {editing && draft.works.length > 0 && (
        <button type="button" className="primary" onClick={issue}>
          {words.issueNow(draft.works.length)}
        </button>
      )}
      {!editing && <Steps />}
    </>
  );
}
