import { categories, isPublic, type StoredFile } from './files.ts';
import type { Storage } from './storage.ts';
import type { Reply, SeenRequest } from './web.ts';
import { type Account, authenticate, extended, ordered, Refused, type World } from './world.ts';

const contentTypes: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  pdf: 'application/pdf',
  txt: 'text/plain; charset=utf-8',
};

interface RequestedFile {
  filename: string;
  category: string;
}

/** Returns signed URLs for upload or download. */
export function signedUrls(world: World, storage: Storage, request: SeenRequest): Reply {
  const { address } = authenticate(world, request);
  const { action } = request.body ?? {};
  if (action !== 'write' && action !== 'read')
    throw new Refused(400, ['action must be one of the following values: write,read']);
  const files = requestedFiles(request).map((one) => named(world, address, one));
  const results = files.map((file) => ({
    filename: file.filename,
    contentType: file.contentType,
    url: storage.sign(file, action === 'write' ? 'PUT' : 'GET'),
    finalUrl: file.finalUrl,
  }));
  return { status: 201, body: extended(world.variants, { results: ordered(world.variants, results) }) };
}

/** Returns the state of files in the order of the request, or the list of missing files. */
export function fileMetadata(world: World, request: SeenRequest): Reply {
  const { address } = authenticate(world, request);
  const { variants, files } = world;
  const states = requestedFiles(request).map(({ filename, category }, index) => ({
    index,
    filename,
    filePath: `${address.toLowerCase()}/${category}/${filename}`,
    now: files.now(files.find(address, filename, category)),
  }));
  const missing = states
    .filter(({ now }) => !now)
    .map(({ index, filePath }) => extended(variants, { index, filePath }));
  if (missing.length > 0)
    return {
      status: 404,
      body: variants.missingList === 'BARE' ? missing : { statusCode: 404, message: missing },
    };
  const results = states.map(({ filename, now }) => {
    if (!now?.hash) return { filename, message: now?.failure ?? 'HASH_STILL_IN_CALCULATION' };
    return { filename, hash: now.hash, ...(now.cid && { cid: now.cid }), size: now.size };
  });
  const list = extended(variants, results);
  return { status: 200, body: variants.fileList === 'BARE' ? list : { [variants.fileList]: list } };
}

function requestedFiles({ body }: SeenRequest): RequestedFile[] {
  if (!Array.isArray(body?.payload)) throw new Refused(400, ['payload must be an array']);
  const files = body.payload as RequestedFile[];
  const faults = files.flatMap(({ filename, category }, i) => [
    ...(/\.[^.]+$/.test(String(filename)) ? [] : [`payload.${i}.filename extension is missing`]),
    ...(/ /.test(String(filename)) ? [`payload.${i}.filename space is not allowed`] : []),
    ...(categories.includes(category)
      ? []
      : [`payload.${i}.category must be one of the following values: ${categories.join(',')}`]),
  ]);
  if (faults.length > 0) throw new Refused(400, faults);
  return files;
}

function named(world: World, issuer: Account['address'], { filename, category }: RequestedFile): StoredFile {
  const path = `${issuer.toLowerCase()}/${category}/${filename}`;
  const object = world.variants.privateFinalUrl === 'OBJECT';
  const finalUrl = isPublic(category)
    ? `${world.url()}/static/${path}`
    : object
      ? `gs://private-objects/${path}`
      : `${world.url()}/private-objects/${path}`;
  const extension = filename.split('.').at(-1)?.toLowerCase() ?? '';
  const contentType = contentTypes[extension] ?? 'application/octet-stream';
  return world.files.name({ issuer, filename, category, contentType, finalUrl });
}
