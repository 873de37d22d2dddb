import { useQuery } from '@apollo/client/react';
import { ChoicesDocument } from '../gql/graphql.ts';
import { useLanguage } from '../lib/settings.ts';
import { useWords } from '../words/words.ts';
import type { Work } from './draft.ts';
import type { FieldFault } from './faults.ts';
import { Field } from './field.tsx';
import { editWork, removeWork } from './form.ts';
import { Preview } from './preview.tsx';
import { UploadProgress } from './upload-progress.tsx';

interface WorkFormProps {
  work: Work;
  faults: FieldFault[];
  disabled: boolean;
}

export function WorkForm({ work, faults, disabled }: WorkFormProps) {
  const words = useWords();
  const english = useLanguage() === 'en';
  const { data } = useQuery(ChoicesDocument);
  const users = (data?.licensedUsers?.edges ?? []).flatMap((edge) => edge?.node ?? []);
  const artists = users.filter(({ kind }) => kind === 'ARTIST');
  const faultsOf = (name: keyof Work) => faults.filter(({ field }) => field === name);
  const field = (name: 'title' | 'artist' | 'medium' | 'year' | 'royalty') => ({
    id: `${work.id}-${name}`,
    value: work[name],
    faults: faultsOf(name),
    onChange: (value: string) => editWork(work.id, name, value),
  });
  return (
    <li className="work">
      <Preview id={work.id} image={work.image} />
      <fieldset disabled={disabled}>
        <legend className="hidden">{work.title}</legend>
        <Field label={words.title} {...field('title')} />
        <Field label={words.artist} {...field('artist')}>
          <option value="">{words.chooseArtist}</option>
          {artists.map((artist) => (
            <option key={artist.id} value={artist.address}>
              {english ? artist.englishName : artist.originalName}
            </option>
          ))}
        </Field>
        <Field label={words.medium} {...field('medium')} />
        <Field label={words.year} {...field('year')} />
        <Field label={words.royaltyPercent} {...field('royalty')} inputMode="decimal" />
        <button
          type="button"
          onClick={() => removeWork(work.id)}
          aria-label={`${words.remove}: ${work.title}`}
        >
          {words.remove}
        </button>
      </fieldset>
      <UploadProgress work={work} faults={faultsOf('filename')} />
    </li>
  );
}
