import { GatewayError, type Upload } from '@srr-gateway/client';
import { client } from '../lib/gateway.ts';
import { filenameOf, type Work } from './draft.ts';
import { dropFile, keepFile, keptFile } from './files.ts';
import { change, changeDraft, changeWork, getState, patience } from './state.ts';
import { submitWhenUploaded } from './submit.ts';

/** Ends each upload under way, by its work. */
const uploads = new Map<string, AbortController>();

/** Gives a work its file, or another one. */
export function attach(id: string, file: File) {
  keepFile(id, file);
  const filename = filenameOf(file);
  changeWork(id, { filename, image: undefined, thumbnail: undefined });
  change({ lost: { ...getState().lost, [id]: false } });
  void upload(id, filename, file);
}

export function detach(id: string) {
  uploads.get(id)?.abort();
  uploads.delete(id);
  dropFile(id);
}

/**
 * Sends each file that has not arrived and is not on its way: after a reload or a refusal. What has arrived in part
 * is sent again; the gateway knows what has arrived in full.
 */
export function resumeUploads() {
  for (const work of getState().draft.works)
    if (!work.image && !uploads.has(work.id)) void resumeUpload(work);
}

async function resumeUpload({ id, filename }: Work) {
  const file = await keptFile(id);
  if (file) await upload(id, filename, file);
  else change({ lost: { ...getState().lost, [id]: true } });
}

async function upload(id: string, filename: string, file: File) {
  const ending = new AbortController();
  uploads.get(id)?.abort();
  uploads.set(id, ending);
  let stored: Upload;
  try {
    stored = await client.upload(file, {
      filename,
      category: 'NON_ATTACHMENT_FILE',
      signal: ending.signal,
      ...patience,
      onProgress: (progress) =>
        change({ progress: { ...getState().progress, [id]: progress }, disconnected: false }),
    });
  } catch (error) {
    if (ending.signal.aborted) return;
    // The file was changed or removed since it was chosen.
    if (!(error instanceof GatewayError)) return change({ lost: { ...getState().lost, [id]: true } });
    changeDraft({ phase: 'editing' });
    change({ faults: [{ work: id, field: 'filename', message: error.message }], disconnected: false });
    return;
  } finally {
    if (uploads.get(id) === ending) uploads.delete(id);
  }
  changeWork(id, { image: { upload: stored.id } });
  await submitWhenUploaded();
}
