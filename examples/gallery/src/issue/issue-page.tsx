import { useEffect, useRef } from 'react';
import { SignedIn } from '../ui/signed-in.tsx';
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
      <SignedIn>
        <Issue />
      </SignedIn>
    </div>
  );
}

function Issue() {
  const words = useWords();
  const { draft, faults, disconnected } = useIssueState();
  const editing = draft.phase === 'editing';
  const wasSent = useRef(!editing);
  useEffect(() => {
    // After a refusal focus the first fault, but not while people fix the others; otherwise the start of the form.
    const places = ['[aria-invalid=true]', ...(wasSent.current ? ['.works input', '.drop input'] : [])];
    const place = places.map((one) => document.querySelector<HTMLElement>(one)).find((one) => one);
    if (editing) place?.focus();
    wasSent.current = !editing;
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
