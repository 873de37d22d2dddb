import { useQuery } from '@apollo/client/react';
import { type FormEvent, useState } from 'react';
import { ViewerDocument } from '../gql/graphql.ts';
import { apollo } from '../lib/apollo.ts';
import { token, useLanguage } from '../lib/settings.ts';
import { useWords } from '../words/words.ts';
import { Notice } from './notice.tsx';
import './sign-in.css';

/** Who one is, or a field for the token. */
export function SignIn() {
  const words = useWords();
  const [typed, setTyped] = useState('');
  const signIn = (event: FormEvent) => {
    event.preventDefault();
    token.set(typed.trim());
  };
  if (token.use()) return <SignedIn />;
  return (
    <form className="sign-in" onSubmit={signIn}>
      <label className="field">
        <span>{words.token}</span>
        <input
          type="password"
          autoComplete="off"
          required
          aria-describedby="token-hint"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </label>
      <button type="submit" className="primary">
        {words.signIn}
      </button>
      <p id="token-hint" className="quiet">
        {words.tokenHint}
      </p>
    </form>
  );
}

function SignedIn() {
  const words = useWords();
  const english = useLanguage() === 'en';
  const { data, error } = useQuery(ViewerDocument, { context: { signedIn: true } });
  const user = data?.viewer?.licensedUser;
  const signOut = () => {
    token.set('');
    // What this issuer saw is nothing for the next one.
    localStorage.removeItem('events');
    void apollo.clearStore();
  };
  return (
    <>
      {error && <Notice error={error} />}
      <p className="signed-in quiet">
        {data?.viewer && words.signedInAs}{' '}
        {user ? (english ? user.englishName : user.originalName) : data?.viewer?.issuer}
        <button type="button" onClick={signOut}>
          {words.signOut}
        </button>
      </p>
    </>
  );
}
