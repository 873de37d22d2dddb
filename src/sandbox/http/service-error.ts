/** An entry of a refused issue request. */
export interface EntryFailure {
  status: 'failed';
  externalId: string;
  message: string;
}

/** A file of a `fileMetadata` request that is not in storage. */
export interface MissingFile {
  index: number;
  filePath: string;
}

/** Every form that `message` of the error envelope takes. */
export type ErrorMessage = string | string[] | { results: EntryFailure[] } | MissingFile[];

/** A refusal in the service's own words; it becomes the answer `{statusCode, message}`. */
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
