import type { Work } from './draft.ts';

/** The field of the form for a path of the gateway. */
const fields: [RegExp, FieldFault['field']][] = [
  [/^collection/, 'collection'],
  [/artistAddress/, 'artist'],
  [/title|name$/, 'title'],
  [/medium/, 'medium'],
  [/yearOfCreation/, 'year'],
  [/royalty|contractTerms/, 'royalty'],
  [/image|thumbnail/, 'filename'],
];

export interface FieldFault {
  /** The id of the work; undefined when the fault is not about a single one. */
  work: string | undefined;
  field: keyof Work | 'collection' | undefined;
  message: string;
}

export interface GatewayFault {
  path?: readonly (string | number)[] | null | undefined;
  message: string;
}

/** Where to show a fault: paths look like ["input", "entries", "3", "metadata", "title", "en"]. */
export function faultAt({ path, message }: GatewayFault, works: Work[]): FieldFault {
  const place = (path ?? []).map(String);
  const index = place.indexOf('entries') + 1;
  const work = index > 0 ? works[Number(place[index])]?.id : undefined;
  const rest = place.slice(index + 1).join('.');
  return { work, field: fields.find(([pattern]) => pattern.test(rest))?.[1], message };
}
