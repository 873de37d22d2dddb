import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';

/** The content types of answers. If Accept allows both of the first two, the first is sent. */
export const answerTypes = [
  'application/json',
  'application/graphql-response+json',
  'text/event-stream',
  'multipart/mixed',
];

/** The content types that an Accept header allows, in its order. Clients send a handful of different headers. */
const acceptedTypes = new LRUCache<string, string[]>({ max: 200, memoMethod: readAccept });

/** Reads the header as the GraphQL server does: without weights, and in UTF-8 only. */
function readAccept(accept: string): string[] {
  const types = (accept || '*/*').split(',').flatMap((one) => {
    const [asked = '', ...parameters] = one.replace(/\s/g, '').toLowerCase().split(';');
    const charset = parameters.find((parameter) => parameter.includes('charset='));
    if (charset !== undefined && charset !== 'charset=utf-8') return [];
    const [type, subtype] = asked.split('/');
    return answerTypes.filter((known) => {
      const [knownType, knownSubtype] = known.split('/');
      return (type === '*' || type === knownType) && (subtype === '*' || subtype === knownSubtype);
    });
  });
  // Without duplicates: a header of 16 KB may repeat them thousands of times, and the result is cached.
  return [...new Set(types)];
}

/** Whether an Accept header allows any type of answer. */
export const isAnswerable = (accept = ''): boolean => acceptedTypes.memo(accept).length > 0;

/** The content type of a JSON answer; undefined when the request gets a page or an event stream. */
export function jsonTypeFor({ method, headers: { accept = '' } }: IncomingMessage): string | undefined {
  // GraphiQL.
  if (method === 'GET' && accept.includes('text/html')) return undefined;
  const type = acceptedTypes.memo(accept).find((one) => one.endsWith('json'));
  return type && `${type}; charset=utf-8`;
}
