/** Identifies an entry of an issuance. `index` is its position in the input. */
export interface EntryKey {
  issuanceId: string;
  index: number;
}

/** An entry's key as text, for maps. */
export const entryKeyText = ({ issuanceId, index }: EntryKey): string => `${issuanceId}/${index}`;
