import type { FastifyReply } from 'fastify';

/**
 * Errors of the storage host. The document does not define their bodies; these are XML with a code, as
 * public object stores send them.
 */
const errors = {
  SignatureDoesNotMatch: {
    status: 403,
    message: 'Method, address and Content-Type must be those that were signed.',
  },
  ExpiredToken: { status: 403, message: 'The signed address has expired. Request a new one.' },
  AccessDenied: { status: 403, message: 'This object is read and written with a signed address only.' },
  NoSuchKey: { status: 404, message: 'There is no object of this name.' },
  PreconditionFailed: { status: 412, message: 'A used name cannot take new content.' },
  EntityTooLarge: { status: 400, message: 'The object is not smaller than the size limit.' },
  InvalidRange: { status: 416, message: 'The requested range lies outside the object.' },
  ServiceUnavailable: { status: 503, message: 'The storage is busy. Try again.' },
  InternalError: { status: 500, message: 'The storage had an unexpected error.' },
} as const;

export type StorageErrorCode = keyof typeof errors;

/** Sends an error of the storage host as XML. */
export function sendStorageError(reply: FastifyReply, code: StorageErrorCode): FastifyReply {
  const { status, message } = errors[code];
  const body = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return reply
    .code(status)
    .type('application/xml; charset=utf-8')
    .send(`<?xml version="1.0" encoding="UTF-8"?>\n${body}\n`);
}
