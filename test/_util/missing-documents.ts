import { metric } from './metrics.ts';

const statuses = [
  ...['VERIFIED', 'UNVERIFIED', 'PENDING', 'TIMEOUT', 'NOT_FOUND', 'INVALID_JSON', 'TOO_LARGE', 'BLOCKED'],
  ...['HASH_MISMATCH', 'UNAVAILABLE'],
];

/** The number of documents that a gateway could not show, for each status with at least one. */
export async function missingDocuments(
  url: string,
  origin: 'record' | 'caller',
): Promise<Record<string, number>> {
  const counted = await Promise.all(
    statuses.map(async (status) => {
      return [status, await metric(url, 'srr_missing_documents_total', { status, origin })] as const;
    }),
  );
  return Object.fromEntries(counted.filter(([, count]) => count > 0));
}
