import { z } from 'zod';
import { readJsonFile } from './json-file.ts';

/** Formats of front-end build tools: id → document, or Apollo's manifest. */
const manifest = z.union(
  [
    z.object({ operations: z.array(z.object({ id: z.string(), body: z.string() })) }),
    z.record(z.string(), z.string()),
  ],
  'must be an object of id → document, or an Apollo persisted query manifest',
);

/** Documents by id, which clients send as `persistedQuery.sha256Hash`; undefined without a usable file. */
export function readTrustedDocuments(
  path: string | undefined,
  faults: string[],
): Map<string, string> | undefined {
  if (path === undefined) return undefined;
  const content = readJsonFile('TRUSTED_DOCUMENTS_FILE', path, faults);
  if (content === undefined) return undefined;
  const parsed = manifest.safeParse(content);
  if (!parsed.success) {
    faults.push(`TRUSTED_DOCUMENTS_FILE: ${parsed.error.issues[0]?.message}`);
    return undefined;
  }
  return 'operations' in parsed.data && Array.isArray(parsed.data.operations)
    ? new Map(parsed.data.operations.map(({ id, body }) => [id, body]))
    : new Map(Object.entries(parsed.data as Record<string, string>));
}
