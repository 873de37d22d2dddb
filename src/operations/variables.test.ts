import { describe, expect, it } from 'vitest';
import { schema } from '../graphql/schema/schema.ts';
import { JsonSchemas } from './json-schema.ts';
import { loadOperations, type Operation } from './operations.ts';
import { resultShape } from './result-shape.ts';
import { pathInVariables, variableFaults, variablesOf } from './variables.ts';

const operations = loadOperations(schema);
const operation = (name: string) => operations.get(name) as Operation;
const issue = variablesOf(schema, operation('IssueRecords'));

describe('the variables of an operation', () => {
  it('are described by the arguments and input fields that take their values', () => {
    const list = new JsonSchemas('#/$defs/').object(variablesOf(schema, operation('ListRecords')));
    expect(list).toMatchObject({
      properties: {
        first: { type: 'integer', description: expect.stringContaining('at most 999') },
        owner: { $ref: '#/$defs/Address', description: 'Records owned by this address.' },
        tokenIds: { type: 'array', items: { $ref: '#/$defs/TokenId' } },
      },
      required: [],
      additionalProperties: false,
    });
    expect(new JsonSchemas('#/$defs/').object(issue)).toMatchObject({
      properties: {
        requestId: { type: 'string', description: expect.stringMatching(/^The idempotency key/) },
        batching: { $ref: '#/$defs/Batching', default: 'ALL_OR_NOTHING' },
      },
      required: ['requestId', 'entries'],
    });
    const record = variablesOf(schema, operation('GetRecord')).find(({ name }) => name === 'transfersAfter');
    expect(record).toMatchObject({ description: expect.stringMatching(/^Continues/), place: ['after'] });
  });

  it('are found by the input path of an error', () => {
    const path = ['input', 'entries', '3', 'metadata', 'title'];
    expect(pathInVariables(issue, path)).toEqual(['entries', '3', 'metadata', 'title']);
    expect(pathInVariables(variablesOf(schema, operation('ListRecords')), ['where', 'owner'])).toEqual([
      'owner',
    ]);
    expect(pathInVariables(issue, ['other'])).toBeUndefined();
  });

  it('have all faults reported with their paths', () => {
    const entry = {
      externalId: 'a',
      isPrimaryIssuer: true,
      lockExternalTransfer: true,
      artistAddress: '0x1',
      b: 1,
    };
    expect(variableFaults(issue, { requestId: 1, entries: [entry], batching: 'NONE' })).toMatchObject([
      { path: ['requestId'], message: expect.stringContaining('non string value: 1') },
      { path: ['entries', '0', 'artistAddress'], message: expect.stringContaining('40 hex digits') },
      { path: ['entries', '0', 'b'], message: expect.stringContaining('is not defined') },
      { path: ['batching'], message: expect.stringContaining('does not exist') },
    ]);
    expect(variableFaults(issue, { entries: null })).toMatchObject([
      { path: ['requestId'] },
      { path: ['entries'] },
    ]);
  });

  it('are checked only up to the fiftieth fault, since a body may have millions', () => {
    let read = 0;
    const entries = {
      *[Symbol.iterator]() {
        for (; read < 1_000; read++) yield {};
      },
    };
    expect(variableFaults(issue, { requestId: 'a', entries })).toHaveLength(50);
    expect(read).toBeLessThan(50);
  });
});

describe('the shape of a result', () => {
  it('shows connections as lists of items', () => {
    const schemas = new JsonSchemas('#/$defs/');
    const shape = resultShape(schema, operation('ListRecords'), ['srrs'], schemas);
    const pageInfo = { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null };
    expect(shape.toJson({ edges: [{ node: null }, null], pageInfo })).toEqual({
      items: [null, null],
      pageInfo,
    });
    expect(shape.schema).toMatchObject({ properties: { items: { type: 'array' } } });
    const picture = schemas.definitions.Picture;
    expect(picture).toMatchObject({ properties: { url: {} }, required: ['uri', 'url', 'cid'] });
  });

  it('allows null for a list within an answer, whose source may be down', () => {
    const schemas = new JsonSchemas('#/$defs/');
    resultShape(schema, operation('GetRecord'), ['srr'], schemas);
    expect(schemas.definitions.Record).toMatchObject({
      properties: { provenance: { properties: { items: { type: ['array', 'null'] } } } },
    });
  });
});
