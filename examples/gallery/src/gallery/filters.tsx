import { useQuery } from '@apollo/client/react';
import type { ReactNode } from 'react';
import { ChoicesDocument } from '../gql/graphql.ts';
import { Link } from '../lib/router.tsx';
import { useLanguage } from '../lib/settings.ts';
import { useWords } from '../words/words.ts';
import { setFilter, useFilter } from './use-filter.ts';

export function Filters() {
  const words = useWords();
  const english = useLanguage() === 'en';
  const { any } = useFilter();
  const { data } = useQuery(ChoicesDocument);
  const users = (data?.licensedUsers?.edges ?? []).flatMap((edge) => edge?.node ?? []);
  const collections = (data?.collections?.edges ?? []).flatMap((edge) => edge?.node ?? []);
  return (
    <search className="filters" aria-label={words.filters}>
      <Choice name="artist" label={words.artist}>
        {users
          .filter(({ kind }) => kind === 'ARTIST')
          .map((user) => (
            <option key={user.id} value={user.address}>
              {english ? user.englishName : user.originalName}
            </option>
          ))}
      </Choice>
      <Choice name="collection" label={words.collection}>
        <option value="registry">{words.noCollection}</option>
        {collections.map(({ id, address, name }) => (
          <option key={id} value={address}>
            {name}
          </option>
        ))}
      </Choice>
      <Choice name="issuer" label={words.issuer}>
        <option value="primary">{words.primaryIssuer}</option>
      </Choice>
      <Choice name="transfers" label={words.transfers}>
        <option value="free">{words.transfersFree}</option>
        <option value="locked">{words.transfersLocked}</option>
      </Choice>
      <Choice name="order" label={words.order} first={words.newestFirst}>
        <option value="CREATED_AT_ASC">{words.oldestFirst}</option>
        <option value="UPDATED_AT_DESC">{words.changedFirst}</option>
      </Choice>
      {any && <Link to="/">{words.clearFilters}</Link>}
    </search>
  );
}

function Choice({ name, label, first, children }: Choice) {
  const words = useWords();
  const { value } = useFilter();
  return (
    <label>
      <span>{label}</span>
      <select value={value(name)} onChange={(event) => setFilter(name, event.target.value)}>
        <option value="">{first ?? words.any}</option>
        {children}
      </select>
    </label>
  );
}

interface Choice {
  name: string;
  label: string;
  /** The label for no choice. */
  first?: string;
  children: ReactNode;
}
