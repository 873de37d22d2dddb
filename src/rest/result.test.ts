import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../graphql/schema/schema.ts';
import { loadOperations } from '../operations/operations.ts';
import type { Endpoint } from './endpoints.ts';
import { linksOf } from './links.ts';
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

it('a refused mutation becomes a problem with the message of the system behind the gateway, if there is one', () => {
  const issue = endpoints.find(({ operation }) => operation.name === 'IssueRecords') as Endpoint;
  const refused = (externalId: string | null, upstreamMessage: string | null) => {
    const error = { code: 'QUOTA_EXCEEDED', message: 'No.', path: null, externalId, upstreamMessage };
    const data = { issueSRRs: { issuance: null, userErrors: [error] } };
    return () => answerOf(issue, { data, isPublic: false }, {});
  };
  expect(refused('a', 'no quota')).toThrow(
    expect.objectContaining({ status: 422, details: { externalId: 'a', upstreamMessage: 'no quota' } }),
  );
  expect(refused(null, null)).toThrow(expect.objectContaining({ details: {} }));
});

it('the link to the page before has the size of a page without `first`', () => {
  const answer = {
    pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: 'c', endCursor: 'd' },
  };
  const url = new URL('http://gateway/records?after=b&owner=o');
  expect(linksOf(list, answer, url, '')).toBe('</records?owner=o&before=c&last=20>; rel="prev"');
});
