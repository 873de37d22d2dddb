import type { IncomingMessage } from 'node:http';
import type { Authenticator } from '../../access/authenticate.ts';
import type { IssuerCaller } from '../../access/caller.ts';
import { credentialsOf } from '../../access/request-credentials.ts';
import { HttpError } from '../../lib/http-error.ts';
import { GatewayError } from '../../model/errors.ts';
import { type FileKey, fileCategories } from '../../model/file.ts';
import { filenameFaults } from '../../model/filename.ts';
import type { Scope } from '../../model/scope.ts';
import { fileOfPath } from '../../uploads/proxy-path.ts';
import type { Uploads } from '../../uploads/uploads.ts';
import { sendJson } from '../response.ts';
import type { Route } from '../server.ts';

/** `PUT /uploads/<category>/<filename>`: streams the bytes to storage as they arrive. */
export function uploadRoute(deps: { authenticator: Authenticator; uploads: Uploads }): Route {
  return {
    method: 'PUT',
    path: '/uploads/*',
    span: '/uploads',
    handle: async (req, res, url) => {
      // Before the first await: the caller may leave while its credentials are still being checked.
      const gone = new AbortController();
      res.once('close', () => gone.abort(new Error('the caller went away')));
      const caller = await issuerOf(req, deps.authenticator, ['upload']);
      const key = keyOf(url.pathname);
      const length = req.headers['content-length'];
      await deps.uploads.receive(
        caller.credentials,
        key,
        {
          body: req,
          contentType: req.headers['content-type'],
          size: length === undefined ? undefined : Number(length),
        },
        gone.signal,
      );
      sendJson(res, 200, { stored: key });
    },
  };
}

/** The issuer of the request's credentials. @throws GatewayError without credentials or one of the scopes. */
export async function issuerOf(
  req: IncomingMessage,
  authenticator: Authenticator,
  scopes: [Scope, ...Scope[]],
): Promise<IssuerCaller> {
  const caller = await authenticator.caller(credentialsOf(req));
  if (caller.kind === 'anonymous')
    throw new GatewayError({
      code: 'UNAUTHENTICATED',
      message:
        'Send the same credentials as to GraphQL: a bearer token, or the service’s headers. To read a file without them, open Upload.downloadUrl.',
    });
  if (!scopes.some((scope) => caller.scopes.has(scope)))
    throw new GatewayError({ code: 'FORBIDDEN', message: `The token lacks the scope "${scopes[0]}".` });
  return caller;
}

/** The file that a path names. @throws GatewayError, HttpError 404. */
export function keyOf(pathname: string): FileKey {
  const named = fileOfPath(pathname);
  if (!named)
    throw new HttpError(404, 'The path must be /uploads/<category>/<filename>; see Upload.proxyUrl.');
  const category = fileCategories.find((one) => one === named.category);
  if (!category)
    throw new GatewayError({
      code: 'CATEGORY_INVALID',
      message: `The category must be one of ${fileCategories.join(', ')}.`,
      path: ['category'],
    });
  const [fault] = filenameFaults(named.filename, ['filename']);
  if (fault) throw new GatewayError(fault);
  return { category, filename: named.filename };
}
