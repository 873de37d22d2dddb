import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { jsonTypeFor } from './answer-types.ts';

const typeFor = (accept: string, method = 'POST') =>
  jsonTypeFor({ method, headers: { accept } } as IncomingMessage);

it.each([
  ['text/event-stream , Application/GraphQL-Response+JSON; q=1', 'application/graphql-response+json'],
  ['application/json; charset=utf-16, application/*', 'application/json'],
  ['text/html, */*', 'application/json'],
  ['application/graphql-response+json; charset=UTF-8', 'application/graphql-response+json'],
  ['', 'application/json'],
])('a JSON answer has a type that Accept allows: %s', (accept, type) => {
  expect(typeFor(accept)).toBe(`${type}; charset=utf-8`);
});

it('a browser that opens the address gets no JSON', () => {
  expect(typeFor('text/html, */*', 'GET')).toBeUndefined();
});
