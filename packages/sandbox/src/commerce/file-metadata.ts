import type { Address } from '@srr-gateway/common/address';
import { z } from 'zod';
import { fileMessages } from '../http/messages.ts';
import { envelope } from '../http/refusals.ts';
import { filePath } from '../storage/file-location.ts';
import type { Storage, StoredFile } from '../storage/storage.ts';
import type { fileMetadataRequest } from './body/file-keys.ts';

const filename = z.string();
const fileInformation = z.union([
  z.object({ filename, hash: z.string(), cid: z.string(), size: z.int() }),
  z.object({ filename, message: z.literal(fileMessages.stillCalculating) }),
]);

const files = z.array(fileInformation);

/** The document names the array `results` in its example and `payload` in its table, and calls it an array. */
export const fileMetadataShapes = {
  results: (found: z.infer<typeof files>) => ({ results: found }),
  payload: (found: z.infer<typeof files>) => ({ payload: found }),
  array: (found: z.infer<typeof files>) => found,
};

export const fileMetadata = z
  .union([z.object({ results: files }), z.object({ payload: files }), files])
  .describe(
    'The files in the order of the request, under `results` unless the setting `fileMetadataShape` differs.',
  );

const missing = z.array(z.object({ index: z.int(), filePath: z.string() }));
/** The document allows both forms. */
export const missingFiles = z
  .union([envelope(404, missing), missing])
  .describe('Files that are not in storage, as `message` of the envelope or as a bare list.');

/** `POST /commerce/fileMetadata`. Results in the order of the request; if files are missing, only those. */
export async function readFileMetadata(
  issuer: Address,
  { payload: wanted }: z.infer<typeof fileMetadataRequest>,
  storage: Storage,
): Promise<{ results: z.infer<typeof files> } | { missing: z.infer<typeof missing> }> {
  const stored = await storage.findAll(
    issuer,
    wanted.map(({ filename }) => filename),
  );
  const found = wanted.map(({ filename, category }) => {
    const file = stored.get(filename);
    return file?.category === category ? file : undefined;
  });
  const absent = wanted.flatMap((key, index) =>
    found[index] ? [] : [{ index, filePath: filePath({ issuer, ...key }) }],
  );
  if (absent.length > 0) return { missing: absent };
  return { results: found.filter((file) => file !== undefined).map(describe) };
}

function describe({ filename, hash, cid, size }: StoredFile): z.infer<typeof fileInformation> {
  return hash !== null && cid !== null
    ? { filename, hash, cid, size: Number(size) }
    : { filename, message: fileMessages.stillCalculating };
}
