import type { CollectionRecord, LicensedUserRecord } from '../../catalog/catalog.ts';
import type { IssuanceRow } from '../../issuance/flow.ts';
import { builder } from './builder.ts';
import type { RecordSource } from './record-source.ts';

// Types that refer to each other. Only their names are here, to avoid import cycles; their fields are in
// their own files.

export const SRR = builder.objectRef<RecordSource>('SRR');
export const LicensedUser = builder.objectRef<LicensedUserRecord>('LicensedUser');
export const Collection = builder.objectRef<CollectionRecord>('Collection');
export const IssuanceRef = builder.objectRef<IssuanceRow>('Issuance');

export const SRRConnection = builder.connectionObject(
  { type: SRR, name: 'SRRConnection' },
  builder.edgeObject({ type: SRR, name: 'SRREdge' }),
);
export const LicensedUserConnection = builder.connectionObject(
  { type: LicensedUser, name: 'LicensedUserConnection' },
  builder.edgeObject({ type: LicensedUser, name: 'LicensedUserEdge' }),
);
export const CollectionConnection = builder.connectionObject(
  { type: Collection, name: 'CollectionConnection' },
  builder.edgeObject({ type: Collection, name: 'CollectionEdge' }),
);
