import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Authenticator } from '../../access/authenticate.ts';
import { markSecret } from '../../lib/send.ts';
import type { Pictures } from '../../pictures/pictures.ts';
import type { Uploads } from '../../uploads/uploads.ts';
import type { Route } from '../server.ts';
import { picturesRoute } from './pictures.ts';
import { issuerOf, keyOf, uploadRoute } from './upload.ts';

/** Every route that files and pictures go by. */
export const fileRoutes = (deps: { authenticator: Authenticator; uploads: Uploads; pictures: Pictures }) => [
  uploadRoute(deps),
  downloadRoute(deps),
  picturesRoute(deps.pictures),
];

/**
 * `GET /uploads/<category>/<filename>`: the bytes of a file, to its issuer's credentials or to the holder of a
 * link from `Upload.downloadUrl`.
 */
function downloadRoute({
  authenticator,
  uploads,
}: {
  authenticator: Authenticator;
  uploads: Uploads;
}): Route {
  return {
    method: 'GET',
    path: '/uploads/*',
    span: '/uploads',
    handle: async (req, res, url) => {
      const gone = new AbortController();
      res.once('close', () => gone.abort(new Error('the caller went away')));
      // Compression would hold the whole file, and break ranges.
      markSecret(req);
      res.setHeader('cache-control', 'private, no-store');
      const signature = url.searchParams.get('signature');
      const key = keyOf(url.pathname);
      const range = rangeOf(req);
      const { downloads } = uploads;
      const file =
        signature === null
          ? await downloads.byCredentials(
              (await issuerOf(req, authenticator, ['read', 'upload'])).credentials,
              key,
              range,
              gone.signal,
            )
          : await downloads.byLink(key, signature, range, gone.signal);
      for (const name of passedOn) {
        const value = file.headers[name];
        if (value !== undefined) res.setHeader(name, value);
      }
      res.writeHead(file.status, headersOf(key.filename, file.contentType));
      if (req.method === 'HEAD') {
        res.end();
        // The signature is for GET only, so this is how to ask for the headers alone.
        file.body.destroy();
      } else await pipeline(file.body, res).catch(() => res.destroy());
    },
  };
}

/** What a reader needs of storage's answer, to read on where it stopped. */
const passedOn = [
  'content-length',
  'content-range',
  'content-encoding',
  'accept-ranges',
  'etag',
  'last-modified',
];

const rangeOf = ({ headers }: IncomingMessage): Record<string, string> => ({
  ...(headers.range !== undefined && { range: headers.range }),
  ...(typeof headers['if-range'] === 'string' && { 'if-range': headers['if-range'] }),
});

/** What browsers show without running anything. */
const inert = /^(image\/(avif|gif|jpeg|png|webp)|audio\/|video\/)/;

/** The file is whatever somebody uploaded: it never runs in the gateway's origin. */
function headersOf(filename: string, contentType: string): Record<string, string> {
  const plain = filename.replace(/[^\w.-]/g, '_');
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const shown = inert.test(contentType) ? 'inline' : 'attachment';
  return {
    'content-type': contentType,
    'content-disposition': `${shown}; filename="${plain}"; filename*=UTF-8''${encoded}`,
    // A browser's own page around a picture or video has a style, and loads nothing but it.
    'content-security-policy':
      "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
  };
}
