import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';

/**
 * Reports whatever a request parser fails at as the request's own fault: a form whose operations are not
 * operations, a map that leads nowhere, a body that broke off.
 */
export function malformedRequests(): Plugin {
  return {
    onRequestParse({ requestParser, setRequestParser }) {
      if (!requestParser)
        return setRequestParser(() => {
          throw sendJson(415);
        });
      setRequestParser(async (request) => {
        try {
          const asked = await requestParser(request);
          if (![asked].flat().every(isObject)) throw unreadable();
          if (isEmptyForm(request, asked)) throw sendJson(400);
          return asked;
        } catch (error) {
          throw error instanceof GraphQLError ? error : unreadable();
        }
      });
    },
  };
}

/** The operation in a form may be a number, or null. */
const isObject = (value: unknown) => typeof value === 'object' && value !== null;

/**
 * What curl makes of `-d '{"query":…}'` without a content type: a form without a query, with one strangely
 * named field.
 */
const isEmptyForm = ({ headers }: Request, asked: GraphQLParams | GraphQLParams[] | Response): boolean =>
  headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') === true &&
  [asked].flat().every((one) => 'query' in one && one.query === undefined && one.extensions === undefined);

const sendJson = (status: number) =>
  new GraphQLError('No query can be read here: send JSON, with the header Content-Type: application/json.', {
    extensions: { code: 'INVALID_INPUT', http: { status } },
  });

const unreadable = () =>
  new GraphQLError('The request cannot be read: its body is not what its Content-Type says.', {
    extensions: { code: 'INVALID_INPUT', http: { status: 400 } },
  });
