import { metric } from './metrics.ts';

const statuses = [
  ...['VERIFIED', 'UNVERIFIED', 'PENDING', 'TIMEOUT', 'NOT_FOUND', 'INVALID_JSON', 'TOO_LARGE', 'BLOCKED'],
  ...['HASH_MISMATCH', 'UNAVAILABLE'],
];

/** How many documents a gateway has counted that it could not show, by their status, where there are any. */
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
