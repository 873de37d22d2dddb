import { useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { ViewerDocument } from '../gql/graphql.ts';
import { useWords } from '../words/words.ts';
import type { Run, RunState } from './run.ts';

/** Where pictures come in and where their records go. */
export function Choose({ run, state }: { run: Run; state: RunState }) {
  const words = useWords();
  const [over, setOver] = useState(false);
  const { data } = useQuery(ViewerDocument, { context: { signedIn: true } });
  const own = (data?.viewer?.licensedUser?.collections?.edges ?? []).flatMap((edge) => edge?.node ?? []);
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut; the button inside does the same */}
      <div
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
          run.add(event.dataTransfer.files);
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
              run.add(event.target.files ?? []);
              event.target.value = '';
            }}
          />
        </label>
        <span className="quiet">{words.dropPictures}</span>
      </div>
      {own.length > 0 && (
        <label className="field">
          <span>{words.issuesInto}</span>
          <select
            value={state.draft.collection}
            onChange={(event) => run.chooseCollection(event.target.value)}
          >
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
