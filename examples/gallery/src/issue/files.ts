/** Chosen files in IndexedDB: a reload must not ask for them again. */

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

/** A full disk or a private window may refuse it; people then choose the file again after a reload. */
export const keepFile = (id: string, file: File) =>
  on('readwrite', (files) => files.put(file, id)).catch(() => {});

export const keptFile = (id: string) =>
  on<File | undefined>('readonly', (files) => files.get(id)).catch(() => undefined);

export const dropFile = (id: string) => on('readwrite', (files) => files.delete(id)).catch(() => {});
