import { CombinedGraphQLErrors } from '@apollo/client';
import { useQuery } from '@apollo/client/react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ViewerDocument, type ViewerQuery } from '../gql/graphql.ts';
import { apollo } from '../lib/apollo.ts';
import { token, useLanguage } from '../lib/settings.ts';
import { hasUnsentWorks, signOut } from '../lib/sign-out.ts';
import { useWords } from '../words/words.ts';
import { Notice } from './notice.tsx';
import './signed-in.css';

/** Shows the issuer and what only signed-in people may see, or else a field for the token. */
export function SignedIn({ children }: { children: ReactNode }) {
  const words = useWords();
  const signedIn = token.use() !== '';
  const { data, error } = useQuery(ViewerDocument, { context: { signedIn: true }, skip: !signedIn });
  const refused =
    CombinedGraphQLErrors.is(error) &&
    error.errors.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED');
  if (!signedIn || refused)
    return (
      <>
        {refused && <Notice error={error} text={words.tokenRefused} />}
        <TokenForm />
      </>
    );
  return (
    <>
      {error && <Notice error={error} />}
      <Viewer viewer={data?.viewer} />
      {children}
    </>
  );
}

function TokenForm() {
  const words = useWords();
  const [typed, setTyped] = useState('');
  const signIn = (event: FormEvent) => {
    event.preventDefault();
    token.set(typed.trim());
    // Queries show their own errors. One whose component is removed meanwhile, as for a wrong token, rejects here.
    apollo.resetStore().catch(() => {});
  };
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

function Viewer({ viewer }: { viewer: ViewerQuery['viewer'] | undefined }) {
  const words = useWords();
  const english = useLanguage() === 'en';
  const user = viewer?.licensedUser;
  const confirmSignOut = () => {
    if (!hasUnsentWorks() || confirm(words.signOutDrops)) signOut();
  };
  return (
    <p className="signed-in quiet">
      {viewer && words.signedInAs} {user ? (english ? user.englishName : user.originalName) : viewer?.issuer}
      <button type="button" onClick={confirmSignOut}>
        {words.signOut}
      </button>
    </p>
  );
}
