import {
  buildSchema,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  getOperationAST,
  getVariableValues,
  execute as interpret,
  Kind,
  parse,
} from 'graphql';
import { beforeEach, describe, expect, it } from 'vitest';
import { Plan } from './plan.ts';

// A plan and graphql-js return the same result, with the fields in the same order. A query that the plan does
// not support is left to graphql-js.

const schema = buildSchema(`
  scalar Odd
  enum Colour { RED BLUE }
  interface Named { name: String }
  type Person implements Named { name: String age: Int! greeting(to: String = "you", times: Int): String }
  type Work implements Named {
    name: String
    colour: Colour
    odd: Odd
    maker: Person
    makerSoon: Person!
    parts: [Work!]!
    tags: [String]
    broken: String
    brokenSoon: String
    mustBreak: String!
  }
  type Query { works(first: Int): [Work] sure: [Work!]! one: Work! named: [Named] count: Int }
`);

const context = { languages: [], loaders: { mayChangeWithoutNewBlock: false } };

let resolverCalls: number;
beforeEach(() => {
  resolverCalls = 0;
});

const later = async <T>(value: T): Promise<T> => value;
const fail = (why: string) => {
  throw new Error(why);
};
const person = (name: string) => ({ __typename: 'Person', name, age: 40 });
const work = (name: string, parts: object[] = []) => ({
  __typename: 'Work',
  name,
  colour: 'RED',
  odd: 3,
  parts,
});

function on(type: string, fields: Record<string, GraphQLFieldResolver<unknown, unknown>>): void {
  const known = (schema.getType(type) as GraphQLObjectType).getFields();
  for (const [name, resolve] of Object.entries(fields)) Object.assign(known[name] as object, { resolve });
}
on('Query', {
  works: (_source, { first }) => {
    resolverCalls++;
    return later([work('a'), null, later(work('b', [work('c')]))].slice(0, first ?? undefined));
  },
  sure: () => [work('a'), later(work('b')), null],
  one: () => work('one'),
  named: () => [person('p'), work('w')],
  count: () => 'many',
});
on('Person', { greeting: (source, { to, times }) => `${(source as { name: string }).name} ${to} ${times}` });
on('Work', {
  maker: ({ name }: { name: string } | never) => (name === 'b' ? later(person('of b')) : person('of others')),
  makerSoon: () => later(person('later')),
  tags: () => ['x', null, later('y')],
  broken: () => new Error('returned'),
  brokenSoon: () => later(0).then(() => fail('rejected')),
  mustBreak: () => fail('thrown'),
} as Record<string, GraphQLFieldResolver<unknown, unknown>>);
Object.assign(schema.getType('Odd') as object, {
  serialize: (value: unknown) => (value === 3 ? 'three' : undefined),
});

/** The data that a plan returns; undefined when it leaves the query to graphql-js. */
async function planned(text: string, given: Record<string, unknown>): Promise<unknown> {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('no operation');
  const fragments = Object.fromEntries(
    document.definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
    ),
  );
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], given);
  if (!coerced) return undefined;
  try {
    return await new Plan({ schema, operation, fragments }, coerced).execute(context, coerced);
  } catch {
    return undefined;
  }
}

const run = async (text: string, variableValues: Record<string, unknown> = {}) => {
  const interpreted = await interpret({ schema, document: parse(text), variableValues });
  resolverCalls = 0;
  return { data: await planned(text, variableValues), interpreted };
};

describe('a query', () => {
  it.each<[string, string, Record<string, unknown>?]>([
    [
      'rows, some of which are promises',
      '{ works { name colour odd maker { name age } makerSoon { name } parts { name } } }',
    ],
    ['field aliases', '{ b: works { z: name a: name maker { n: name } } a: works { name } }'],
    ['__typename', '{ __typename works { __typename maker { __typename } } }'],
    ['nulls in a list', '{ works { tags } }'],
    [
      'arguments and their defaults',
      '{ works(first: 1) { maker { greeting a: greeting(to: "me", times: 2) } } }',
    ],
    [
      'variables',
      'query ($n: Int = 1, $to: String) { works(first: $n) { maker { greeting(to: $to) } } }',
      { to: 'all' },
    ],
    [
      '@skip and @include',
      'query ($no: Boolean!) { works { name @skip(if: $no) odd @include(if: $no) ... @include(if: $no) { colour } } }',
      { no: true },
    ],
    [
      'fragments that overlap',
      '{ works { ...A maker { age } } } fragment A on Work { maker { name } name ... on Named { name } }',
    ],
    [
      'introspection',
      '{ __schema { queryType { name } } __type(name: "Work") { name kind } works { name } }',
    ],
  ])('with %s is executed once, with the result of graphql-js', async (_, text, variables) => {
    const { data, interpreted } = await run(text, variables);
    expect(JSON.stringify({ data })).toBe(JSON.stringify(interpreted));
    expect(resolverCalls).toBe(text.split('works').length - 1);
  });

  it.each<[string, string, Record<string, unknown>?]>([
    ['a resolver that returns an error', '{ works { name broken } }'],
    ['a resolver that rejects', '{ works { brokenSoon name } }'],
    ['an error in a non-null field', '{ works { name mustBreak } one { mustBreak } }'],
    [
      'an error that is thrown while another field is pending',
      '{ works { brokenSoon mustBreak } sure { brokenSoon } }',
    ],
    ['a null in a non-null list', '{ sure { name makerSoon { name } } }'],
    ['a value that is not of its type', '{ count works { name } }'],
    ['an interface', '{ named { name __typename ... on Person { age } } works { name } }'],
    ['the alias __proto__', '{ works { __proto__: name } }'],
    [
      'null as the condition of @include',
      'query ($no: Boolean = true) { works { name odd @include(if: $no) } }',
      { no: null },
    ],
    ['an invalid variable', 'query ($n: Int!) { works(first: $n) { name } }', { n: 'x' }],
  ])('with %s is left to graphql-js', async (_, text, variables) => {
    const { data, interpreted } = await run(text, variables);
    expect(data).toBeUndefined();
    expect(interpreted).toBeDefined();
  });

  it('is planned only as deep as rows exist, so an empty list costs nothing', async () => {
    const deep = (depth: number): string =>
      depth === 0 ? 'name' : `a: parts { ${deep(depth - 1)} } b: parts { ${deep(depth - 1)} }`;
    const { data, interpreted } = await run(`{ works(first: 0) { ${deep(12)} } }`);
    expect(JSON.stringify({ data })).toBe(JSON.stringify(interpreted));
  });
});
