import { useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { ChoicesDocument, ViewerDocument } from '../gql/graphql.ts';
import { useWords } from '../words/words.ts';
import { addFiles, chooseCollection } from './form.ts';

/** Chooses the pictures, and the collection to issue into. */
export function Choose({ collection }: { collection: string }) {
  const words = useWords();
  const [over, setOver] = useState(false);
  // Load the artists while people choose their pictures, so that each form has them at once.
  useQuery(ChoicesDocument);
  const { data } = useQuery(ViewerDocument, { context: { signedIn: true } });
  const own = (data?.viewer?.licensedUser?.collections?.edges ?? []).flatMap((edge) => edge?.node ?? []);
  return (
    <>
      <fieldset
        className="drop"
        data-over={over}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          addFiles(event.dataTransfer.files);
        }}
      >
        <label className="button">
          {words.choosePictures}
          <input
            type="file"
            accept="image/*"
            multiple
            className="hidden"
            onChange={(event) => {
              addFiles(event.target.files ?? []);
              event.target.value = '';
            }}
          />
        </label>
        <span className="quiet">{words.dropPictures}</span>
      </fieldset>
      {own.length > 0 && (
        <label className="field">
          <span>{words.issuesInto}</span>
          <select value={collection} onChange={(event) => chooseCollection(event.target.value)}>
            <option value="">{words.registry}</option>
            {own.map(({ id, address, name }) => (
              <option key={id} value={address}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}
