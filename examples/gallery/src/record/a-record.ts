import type { RecordQuery } from '../gql/graphql.ts';

export type ARecord = NonNullable<RecordQuery['srr']>;
