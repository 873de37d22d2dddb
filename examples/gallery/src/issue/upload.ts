import { GatewayError, type Upload } from '@srr-gateway/client';
import { client } from '../lib/gateway.ts';
import { filenameOf, type Work } from './draft.ts';
import { deleteFile, loadFile, saveFile } from './files.ts';
import { change, changeDraft, changeWork, getState, longRetry } from './state.ts';
import { submitWhenUploaded } from './submit.ts';

/** The abort controller of each running upload, by its work. */
const uploads = new Map<string, AbortController>();

/** Sets or replaces the file of a work. */
export function attach(id: string, file: File) {
  saveFile(id, file);
  const filename = filenameOf(file);
  changeWork(id, { filename, image: undefined, thumbnail: undefined });
  change({ lost: { ...getState().lost, [id]: false } });
  void upload(id, filename, file);
}

export function detach(id: string) {
  uploads.get(id)?.abort();
  uploads.delete(id);
  deleteFile(id);
}

/**
 * Uploads each file that is neither uploaded nor being uploaded, as after a reload or a refusal. A partly uploaded file
 * is sent again; the gateway recognises one that it has in full.
 */
export function resumeUploads() {
  for (const work of getState().draft.works)
    if (!work.image && !uploads.has(work.id)) void resumeUpload(work);
}

async function resumeUpload({ id, filename }: Work) {
  const file = await loadFile(id);
  if (file) await upload(id, filename, file);
  else change({ lost: { ...getState().lost, [id]: true } });
}

async function upload(id: string, filename: string, file: File) {
  const controller = new AbortController();
  uploads.get(id)?.abort();
  uploads.set(id, controller);
  let stored: Upload;
  try {
    stored = await client.upload(file, {
      filename,
      category: 'NON_ATTACHMENT_FILE',
      signal: controller.signal,
      ...longRetry,
      onProgress: (progress) =>
        change({ progress: { ...getState().progress, [id]: progress }, disconnected: false }),
    });
  } catch (error) {
    if (controller.signal.aborted) return;
    // The file was changed or removed since it was chosen.
    if (!(error instanceof GatewayError)) return change({ lost: { ...getState().lost, [id]: true } });
    changeDraft({ phase: 'editing' });
    change({ faults: [{ work: id, field: 'filename', message: error.message }], disconnected: false });
    return;
  } finally {
    if (uploads.get(id) === controller) uploads.delete(id);
  }
  changeWork(id, { image: { upload: stored.id } });
  await submitWhenUploaded();
}
