import { SignedIn } from '../ui/signed-in.tsx';
import { useWords } from '../words/words.ts';
import { Events } from './events.tsx';
import { Issuances } from './issuances.tsx';
import '../ui/timeline.css';
import './work.css';

export function WorkPage() {
  const words = useWords();
  return (
    <div className="narrow">
      <h1>{words.myWork}</h1>
      <SignedIn>
        <div className="columns">
          <Issuances />
          <Events />
        </div>
      </SignedIn>
    </div>
  );
}
