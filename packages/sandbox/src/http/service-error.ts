import { z } from 'zod';

/** An entry of a refused issue request. */
export const entryFailure = z.object({
  status: z.literal('failed'),
  externalId: z.string(),
  message: z.string(),
});
export type EntryFailure = z.infer<typeof entryFailure>;

/** Every form of `message` in the error envelope. */
export type ErrorMessage = string | string[] | { results: EntryFailure[] };

/** A refusal in the service's own words. The server answers it as `{statusCode, message}`. */
export class ServiceError extends Error {
  readonly statusCode: number;
  readonly detail: ErrorMessage;

  constructor(statusCode: number, detail: ErrorMessage, options?: ErrorOptions) {
    super(typeof detail === 'string' ? detail : `refused with ${statusCode}`, options);
    this.name = 'ServiceError';
    this.statusCode = statusCode;
    this.detail = detail;
  }
}

/** The service's 404 for a path that has nothing. */
export function cannotGet(path: string): ServiceError {
  return new ServiceError(404, `Cannot GET ${path}`);
}
