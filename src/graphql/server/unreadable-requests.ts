import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';

/**
 * Whatever a parser of requests stumbles over is the request's own fault: a form whose operations are no
 * operations, a map that leads nowhere, a body that broke off.
 */
export function unreadableRequests(): Plugin {
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

/** A form may say that its operation is a number, or nothing. */
const isObject = (value: unknown) => typeof value === 'object' && value !== null;

/** What curl makes of `-d '{"query":…}'` by itself: a form that asks nothing, with one field of a strange name. */
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
