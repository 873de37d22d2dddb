import { useQuery } from '@apollo/client/react';
import { ChoicesDocument } from '../gql/graphql.ts';
import { useLanguage } from '../lib/settings.ts';
import { useWords } from '../words/words.ts';
import type { Work } from './draft.ts';
import type { FieldFault } from './entry.ts';
import { Field } from './field.tsx';
import { Preview } from './preview.tsx';
import type { Run, RunState } from './run.ts';
import { UploadProgress } from './upload-progress.tsx';

interface WorkFormProps {
  run: Run;
  work: Work;
  state: RunState;
  faults: FieldFault[];
}

export function WorkForm({ run, work, state, faults }: WorkFormProps) {
  const words = useWords();
  const english = useLanguage() === 'en';
  const { data } = useQuery(ChoicesDocument);
  const users = (data?.licensedUsers?.edges ?? []).flatMap((edge) => edge?.node ?? []);
  const artists = users.filter(({ kind }) => kind === 'ARTIST');
  const field = (name: keyof Work) => ({
    id: `${work.id}-${name}`,
    value: work[name] ?? '',
    faults: faults.filter((fault) => fault.field === name),
    onChange: (value: string) => run.edit(work.id, { [name]: value }),
  });
  return (
    <li className="work">
      <Preview id={work.id} lost={state.lost[work.id]} />
      <fieldset disabled={state.draft.phase !== 'editing'}>
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
          onClick={() => run.remove(work.id)}
          aria-label={`${words.remove}: ${work.title}`}
        >
          {words.remove}
        </button>
      </fieldset>
      <UploadProgress run={run} work={work} state={state} faults={field('filename').faults} />
    </li>
  );
}
