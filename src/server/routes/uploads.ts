import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Authenticator } from '../../access/authenticate.ts';
import type { IssuerCaller } from '../../access/caller.ts';
import { credentialsOf } from '../../access/request-credentials.ts';
import { HttpError } from '../../lib/http-error.ts';
import { isCompressed } from '../../lib/read-body.ts';
import { sendJson } from '../../lib/send.ts';
import { GatewayError, unauthenticated } from '../../model/errors.ts';
import type { Scope } from '../../model/scope.ts';
import { fileOfPath } from '../../uploads/proxy-path.ts';
import type { Uploads } from '../../uploads/uploads.ts';
import { whenCallerLeaves } from '../response.ts';
import type { Handler, Route } from '../server.ts';

interface UploadDeps {
  authenticator: Authenticator;
  uploads: Uploads;
}

/**
 * A reader that reads no byte for so long is gone, however slow its line. It must not hold a connection to the
 * storage.
 */
const longestStallMs = 60_000;

/** The routes of `/uploads/<category>/<filename>`. */
export const uploadRoutes = (deps: UploadDeps, stallMs = longestStallMs): Route[] => [
  { method: 'PUT', path: '/uploads/*', span: '/uploads', handle: receiveFile(deps) },
  { method: 'GET', path: '/uploads/*', span: '/uploads', handle: sendFile(deps, stallMs) },
];

/** Streams the bytes of a file to storage as they arrive. */
const receiveFile =
  ({ authenticator, uploads }: UploadDeps): Handler =>
  async (req, res, url) => {
    // Listen before the first await: the caller may leave while its credentials are checked.
    const gone = whenCallerLeaves(res);
    const caller = await issuerOf(req, authenticator, ['upload']);
    const key = fileOfPath(url.pathname);
    assertWhole(req);
    const length = req.headers['content-length'];
    const size = length === undefined ? undefined : Number(length);
    const file = { body: req, contentType: req.headers['content-type'], size };
    await uploads.receive(caller.credentials, key, file, gone);
    sendJson(res, 200, { stored: key });
  };

/**
 * Refuses partial and compressed bodies, because a name holds its first content for ever. `curl -C -` sends only the
 * rest of a file whose upload broke off, and some programs compress every body.
 */
function assertWhole({ headers }: IncomingMessage): void {
  if (headers['content-range'] !== undefined)
    throw new HttpError(400, 'Send the whole file, without Content-Range: an upload cannot be continued.');
  if (isCompressed(headers['content-encoding']))
    throw new HttpError(415, 'Send the file as it is, without Content-Encoding.');
}

/** Sends the bytes of a file to its issuer's credentials, or to the holder of a link from `Upload.downloadUrl`. */
const sendFile =
  ({ authenticator, uploads: { downloads } }: UploadDeps, stallMs: number): Handler =>
  async (req, res, url) => {
    const gone = whenCallerLeaves(res);
    const signature = url.searchParams.get('signature');
    const key = fileOfPath(url.pathname);
    const range = rangeOf(req);
    const readers = ['read', 'upload'] as const;
    const file =
      signature === null
        ? await downloads.byCredentials(
            (await issuerOf(req, authenticator, readers)).credentials,
            key,
            range,
            gone,
          )
        : await downloads.byLink(signature, key, range, gone);
    res.setTimeout(stallMs);
    res.writeHead(file.status, { 'cache-control': 'private, no-store', ...file.headers });
    if (req.method === 'HEAD') {
      res.end();
      // The URL is signed for GET only, so HEAD sends a GET and discards the body.
      file.body.destroy();
    } else await pipeline(file.body, res).catch(() => res.destroy());
  };

/** The issuer of the request's credentials. @throws GatewayError without credentials or one of the scopes. */
async function issuerOf(
  req: IncomingMessage,
  authenticator: Authenticator,
  scopes: readonly [Scope, ...Scope[]],
): Promise<IssuerCaller> {
  const caller = await authenticator.caller(credentialsOf(req));
  if (caller.kind === 'anonymous')
    throw unauthenticated(
      'Send the same credentials as to GraphQL: a bearer token, or the service’s headers. To read a file without them, open Upload.downloadUrl.',
    );
  if (!scopes.some((scope) => caller.scopes.has(scope)))
    throw new GatewayError({ code: 'FORBIDDEN', message: `The token lacks the scope "${scopes[0]}".` });
  return caller;
}

/**
 * The Range header of a GET with one range. HEAD has none (RFC 9110), and several ranges would need a multipart
 * response.
 */
const rangeOf = ({ method, headers }: IncomingMessage): Record<string, string> => ({
  ...(method === 'GET' && /^bytes=[\d-]+$/i.test(headers.range ?? '') && { range: headers.range }),
  ...(typeof headers['if-range'] === 'string' && { 'if-range': headers['if-range'] }),
});
