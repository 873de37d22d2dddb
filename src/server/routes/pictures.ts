import { callerAddress } from '../../access/caller-address.ts';
import { type ContentFailure, IpfsFailure } from '../../clients/ipfs/ipfs.ts';
import { HttpError } from '../../lib/http-error.ts';
import type { Pictures } from '../../pictures/pictures.ts';
import { parsePicturePath, pictureSizes, pictureTypes } from '../../pictures/variant.ts';
import { whenCallerLeaves } from '../response.ts';
import type { Route } from '../server.ts';

/** The status for each reason why a picture cannot be loaded; 502 for the others, which are faults of the gateways. */
const statuses: Partial<Record<ContentFailure, number>> = { NOT_FOUND: 404, TOO_LARGE: 413, TIMEOUT: 504 };

/** `GET /pictures/<cid>/<width>x<height>.<format>`, as `Media.url(transform:)` gives it. */
export function picturesRoute(pictures: Pictures, trustedProxies: number): Route {
  return {
    method: 'GET',
    path: '/pictures/*',
    span: '/pictures',
    handle: async (req, res, url) => {
      const pictureInPath = parsePicturePath(url.pathname);
      if (!pictureInPath)
        throw new HttpError(
          404,
          `The path must be /pictures/<cid>/<width>x<height>.<format> with sizes of ${pictureSizes.join(', ')} and one of ${Object.keys(pictureTypes).join(', ')}; ask Media.url(transform:) for it.`,
        );
      // The path identifies the content and the transformation, so it can be the tag.
      const etag = `"${url.pathname.slice('/pictures/'.length)}"`;
      const headers = {
        'cache-control': 'public, max-age=31536000, immutable',
        etag,
        // Whatever type a browser guesses, the content can run or load nothing.
        'content-security-policy': "default-src 'none'; sandbox",
      };
      if (req.headers['if-none-match']?.includes(etag)) return void res.writeHead(304, headers).end();
      const { bytes, contentType } = await pictures
        .get(
          pictureInPath.cid,
          pictureInPath.variant,
          whenCallerLeaves(res),
          callerAddress(req, trustedProxies),
        )
        .catch((error: unknown) => {
          if (!(error instanceof IpfsFailure)) throw error;
          throw new HttpError(statuses[error.kind] ?? 502, error.message, {}, error.code);
        });
      res
        .writeHead(200, { ...headers, 'content-type': contentType, 'content-length': bytes.length })
        .end(bytes);
    },
  };
}
