import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { limitExceeded } from './limit-error.ts';

/**
 * Without credentials a request is a read: its body needs no room for records and files. It is refused by
 * its announced length, before a byte of it is held, and so has to announce one.
 */
export function anonymousBody(maxBytes: number): Plugin {
  return {
    onRequestParse({ request: { headers, method } }) {
      if (method !== 'POST' || headers.has('authorization') || headers.has('commerce-api-key')) return;
      const length = headers.get('content-length');
      if (length === null && headers.has('transfer-encoding')) throw lengthRequired(maxBytes);
      if (Number(length ?? 0) <= maxBytes) return;
      const what = `Without credentials, the body has ${Number(length)} bytes`;
      throw limitExceeded('bodyBytes', maxBytes, Number(length), what, 413);
    },
  };
}

const lengthRequired = (maxBytes: number) =>
  new GraphQLError(
    `Send a Content-Length: without credentials a body may have ${maxBytes} bytes at most (ANONYMOUS_BODY_MAX_BYTES).`,
    { extensions: { code: 'LENGTH_REQUIRED', http: { status: 411 } } },
  );
