import type { RecordQuery } from '../gql/graphql.ts';

export type RecordDetails = NonNullable<RecordQuery['srr']>;
