import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../graphql/schema/schema.ts';
import { loadOperations } from '../operations/operations.ts';
import type { Endpoint } from './endpoints.ts';
import { restInterface } from './openapi.ts';
import { answerOf } from './result.ts';

const { endpoints } = restInterface(schema, loadOperations(schema));
const list = endpoints.find(({ operation }) => operation.name === 'ListRecords') as Endpoint;

const failed = new GraphQLError('The source is down.', {
  path: ['srrs', 'edges', 1, 'node'],
  extensions: { code: 'UPSTREAM_UNAVAILABLE' },
});
const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null };

describe('a response with a missing part', () => {
  it('has an error with the path of the missing part', () => {
    const data = { srrs: { edges: [null, { node: null }], pageInfo } };
    expect(answerOf(list, { data, errors: [failed], isPublic: false }, {})).toEqual({
      items: [null, null],
      pageInfo,
      errors: [{ code: 'UPSTREAM_UNAVAILABLE', detail: 'The source is down.', pointer: '#/items/1' }],
    });
  });

  it('becomes a problem when everything is missing', () => {
    const data = { srrs: { edges: null, pageInfo } };
    expect(() => answerOf(list, { data, errors: [failed], isPublic: false }, {})).toThrow(
      expect.objectContaining({ status: 503, code: 'UPSTREAM_UNAVAILABLE' }),
    );
  });

  it('becomes a problem with an errorId when the gateway itself failed', () => {
    const bug = new GraphQLError('The gateway failed.', {
      extensions: { code: 'UNKNOWN_ERROR', errorId: 'x' },
    });
    expect(() => answerOf(list, { data: null, errors: [bug], isPublic: false }, {})).toThrow(
      expect.objectContaining({ status: 500, details: { errorId: 'x' } }),
    );
  });
});
