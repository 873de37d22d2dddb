import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { limitExceeded } from './limit-error.ts';

/**
 * A request without credentials is a read and needs no room for records or files. It is refused by its
 * Content-Length, before its body takes any memory, so it has to send one.
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
