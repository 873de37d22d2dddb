/** The chosen files: in memory for this page, and in IndexedDB for the page after a reload. */

const chosen = new Map<string, File>();

const open = () =>
  new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open('gallery', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('files');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

async function on<T>(mode: IDBTransactionMode, call: (files: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await open();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction('files', mode);
      const request = call(transaction.objectStore('files'));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

export function saveFile(id: string, file: File) {
  chosen.set(id, file);
  // A full disk or a private window may refuse it; then people choose the file again after a reload.
  on('readwrite', (files) => files.put(file, id)).catch(() => {});
}

export const loadFile = async (id: string): Promise<File | undefined> =>
  chosen.get(id) ?? on<File | undefined>('readonly', (files) => files.get(id)).catch(() => undefined);

export function deleteFile(id: string) {
  chosen.delete(id);
  on('readwrite', (files) => files.delete(id)).catch(() => {});
}
