import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/**
 * Whatever a parser of requests stumbles over is the request's own fault: a form whose operations are no
 * operations, a map that leads nowhere, a body that broke off.
 */
export function unreadableRequests(): Plugin {
  return {
    onRequestParse({ requestParser, setRequestParser }) {
      if (!requestParser) return;
      setRequestParser(async (request) => {
        try {
          const asked = await requestParser(request);
          if (![asked].flat().every(isObject)) throw unreadable();
          return asked;
        } catch (error) {
          throw error instanceof GraphQLError ? error : unreadable();
        }
      });
    },
  };
}

/** A form may say that its operation is a number, or nothing. */
const isObject = (value: unknown) => typeof value === 'object' && value !== null;

const unreadable = () =>
  new GraphQLError('The request cannot be read: its body is not what its Content-Type says.', {
    extensions: { code: 'INVALID_INPUT', http: { status: 400 } },
  });
