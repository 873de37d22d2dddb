import type { Address } from '../../lib/address.ts';
import { ServiceError } from '../http/service-error.ts';
import { filePath } from '../storage/file-location.ts';
import type { Storage, StoredFile } from '../storage/storage.ts';
import { readFileMetadataRequest } from './body/file-keys.ts';
import { fileMessages } from './messages.ts';

export type FileInformation =
  | { filename: string; hash: string; cid: string; size: number }
  | { filename: string; message: string };

/** `POST /commerce/fileMetadata`: order as requested; 404 names the missing files, and only those. */
export async function fileInformation(
  issuer: Address,
  body: unknown,
  storage: Storage,
): Promise<{ results: FileInformation[] }> {
  const wanted = readFileMetadataRequest(body);
  const stored = await storage.findAll(
    issuer,
    wanted.map(({ filename }) => filename),
  );
  const found = wanted.map(({ filename, category }) => {
    const file = stored.get(filename);
    return file?.category === category ? file : undefined;
  });
  const missing = wanted.flatMap((key, index) =>
    found[index] ? [] : [{ index, filePath: filePath({ issuer, ...key }) }],
  );
  if (missing.length > 0) throw new ServiceError(404, missing);
  return { results: found.filter((file) => file !== undefined).map(describe) };
}

function describe({ filename, hash, cid, size }: StoredFile): FileInformation {
  return hash !== null && cid !== null
    ? { filename, hash, cid, size: Number(size) }
    : { filename, message: fileMessages.stillCalculating };
}
