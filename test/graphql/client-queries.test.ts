import { readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ClientWorld,
  clientDocuments,
  clientQueries,
  createClientWorld,
} from '../_util/client-queries.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import type { Data } from '../_util/graphql-caller.ts';
import { valuesAt } from '../_util/values-at.ts';

// Operations as front ends and partners have stored them. A change that breaks one breaks a client.

const schema = buildSchema(readFileSync(new URL('../../schema/gateway.graphql', import.meta.url), 'utf8'));

const documentOf = (name: string) => clientDocuments.get(name) ?? '';

let gateway: TestGateway;
let world: ClientWorld;

beforeAll(async () => {
  gateway = await startTestGateway({ sandbox: { fixtures: true } });
  world = await createClientWorld(gateway);
});
afterAll(() => gateway?.stop());

async function run(name: string): Promise<Data> {
  const { by = 'anonymous', variables } = clientQueries[name] ?? {};
  const caller = by === 'issuer' ? gateway.caller : gateway.anonymous;
  const document = documentOf(name);
  if (!/^subscription /m.test(document)) return caller.data(document, variables?.(world));
  const ending = new AbortController();
  try {
    for await (const answer of caller.subscribe(document, variables?.(world) ?? {}, ending.signal)) {
      expect(answer.errors).toBeUndefined();
      return answer.data;
    }
  } finally {
    ending.abort();
  }
}

describe('the operations of clients', () => {
  it('are at least thirty, each with the fields that it must return', () => {
    expect(clientDocuments.size).toBeGreaterThanOrEqual(30);
    expect(Object.keys(clientQueries).toSorted()).toEqual([...clientDocuments.keys()].toSorted());
  });

  it.each(Object.entries(clientQueries))(
    'include $0, which is valid, runs and returns its data',
    async (name, { shows }) => {
      expect(validate(schema, parse(documentOf(name)))).toEqual([]);
      const data = await run(name);
      for (const path of shows) {
        const { values, wanted } = valuesAt(data, path);
        expect(values.length, `${path} leads nowhere`).toBeGreaterThan(0);
        const present = values.filter((value) => value !== null && value !== undefined);
        expect(present.length, `${path} is null`).toBeGreaterThanOrEqual(
          wanted === 'all' ? values.length : 1,
        );
      }
    },
  );
});
