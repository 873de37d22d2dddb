import { randomUUID } from 'node:crypto';
import type { StoredFile } from './files.ts';
import { takeInjectedFault } from './injected-fault.ts';
import { type Reply, type SeenRequest, withInjectedFault } from './web.ts';
import type { World } from './world.ts';

const validMs = 15 * 60_000;

/** An object store with signed URLs, and the public host of static files. */
export class Storage {
  readonly #world: World;
  readonly #signed = new Map<string, { method: string; file: StoredFile; until: number }>();

  constructor(world: World) {
    this.#world = world;
  }

  sign(file: StoredFile, method: 'PUT' | 'GET'): string {
    const signature = randomUUID();
    this.#signed.set(signature, { method, file, until: Date.now() + validMs });
    return `${this.#world.url()}/bucket/${file.category}/${file.filename}?X-Signature=${signature}`;
  }

  /** Undefined if the path does not belong to the storage. */
  handle(request: SeenRequest): Reply | Promise<Reply> | undefined {
    const { path, method } = request;
    if (path.startsWith('/static/') && method === 'GET') return this.#static(`${this.#world.url()}${path}`);
    if (!path.startsWith('/bucket/')) return undefined;
    const signed = this.#signed.get(request.query.get('X-Signature') ?? '');
    if (!signed || signed.method !== method) return xml(403, 'SignatureDoesNotMatch');
    if (Date.now() > signed.until) return xml(403, 'ExpiredToken');
    const { file } = signed;
    if (method === 'PUT')
      return withInjectedFault(takeInjectedFault(this.#world.variants, 'put'), () =>
        this.#put(request, file),
      );
    return file.bytes ? bytes(file) : xml(404, 'NoSuchKey');
  }

  async #put({ headers, raw }: SeenRequest, file: StoredFile): Promise<Reply> {
    if (headers['content-type'] !== file.contentType) return xml(403, 'SignatureDoesNotMatch');
    // A name with content cannot be used for new content.
    if (file.bytes)
      return file.bytes.equals(raw) ? { status: 200, body: '' } : xml(412, 'PreconditionFailed');
    await this.#world.files.store(file, raw);
    return { status: 200, body: '' };
  }

  #static(url: string): Reply {
    const file = this.#world.files.byUrl(url);
    return file?.bytes ? bytes(file) : xml(404, 'NoSuchKey');
  }
}

const bytes = (file: StoredFile): Reply => ({
  status: 200,
  body: file.bytes,
  headers: { 'content-type': file.contentType },
});

const xml = (status: number, code: string): Reply => ({
  status,
  body: `<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code}</Code></Error>`,
  headers: { 'content-type': 'application/xml' },
});
