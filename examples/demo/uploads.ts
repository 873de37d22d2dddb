import { readFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { DemoError, type Gateway, refuse, retrying } from './client.ts';

export type Category =
  | 'NON_ATTACHMENT_FILE'
  | 'ARTWORK'
  | 'CERTIFICATE'
  | 'FOR_AUTHENTICITY'
  | 'INSTALLATION';

/** The three ways in which bytes reach the storage. */
export const ways = ['signedUrl', 'proxyUrl', 'uploadFile'] as const;
export type Way = (typeof ways)[number];

interface Upload {
  id: string;
  status: 'AWAITING_BYTES' | 'CALCULATING' | 'READY' | 'FAILED';
  contentType: string;
  signedUrl: string | null;
  proxyUrl: string;
}

const uploadFields = 'id status contentType signedUrl proxyUrl';
const createUploads = `mutation ($input: CreateUploadsInput!) {
  createUploads(input: $input) { uploads { ${uploadFields} } userErrors { code message path } }
}`;
const uploadFile = `mutation ($input: UploadFileInput!) {
  uploadFile(input: $input) { upload { ${uploadFields} } userErrors { code message path } }
}`;

/**
 * Brings one example file to the storage and returns its id. The name carries the run, because the
 * service never lets a name take new content.
 */
export async function upload(
  gateway: Gateway,
  { file, category, way, run }: { file: string; category: Category; way: Way; run: string },
): Promise<string> {
  const bytes = await readFile(join(import.meta.dirname, '../files', file));
  const { name, ext } = parse(file);
  const key = { filename: `${name}-${category.toLowerCase().replaceAll('_', '-')}-${run}${ext}`, category };

  return await retrying(`uploading ${key.filename}`, async () => {
    // Asking for a place again is harmless, and tells whether an attempt that was cut off had arrived.
    const { uploads, userErrors } = (
      await gateway.request<{ createUploads: { uploads: Upload[]; userErrors: [] } }>(createUploads, {
        input: { files: [key] },
      })
    ).createUploads;
    refuse(key.filename, userErrors);
    const place = uploads[0];
    if (!place) throw new DemoError(`The gateway gave no place for ${key.filename}.`);
    if (place.status !== 'AWAITING_BYTES') return place.id;
    return way === 'uploadFile' ? await sendMultipart() : await sendPut(place, way);
  });

  async function sendMultipart(): Promise<string> {
    const answer = await gateway.requestWithFile<{ uploadFile: { upload: Upload | null; userErrors: [] } }>(
      uploadFile,
      { input: key },
      new File([bytes], key.filename),
    );
    refuse(key.filename, answer.uploadFile.userErrors);
    if (!answer.uploadFile.upload) throw new DemoError(`The gateway returned no upload of ${key.filename}.`);
    return answer.uploadFile.upload.id;
  }

  async function sendPut(place: Upload, field: 'signedUrl' | 'proxyUrl'): Promise<string> {
    const url = place[field];
    if (!url) throw new DemoError(`The gateway gave no ${field} for ${key.filename}.`);
    const { contentType, id } = place;
    const { status } = await gateway.put({ url, signed: field === 'signedUrl', contentType, bytes });
    if (status >= 300)
      throw new DemoError(`The upload of ${key.filename} by ${field} was refused (status ${status}).`);
    return id;
  }
}
