import { buildSchema, type GraphQLSchema } from 'graphql';
import { entities, fieldOf, isEntity, roots } from './subgraph-entities.ts';

const comparisons = ['_not', '_gt', '_lt', '_gte', '_lte'];
const sets = ['_in', '_not_in'];
const texts = [
  '_contains',
  '_contains_nocase',
  '_not_contains',
  '_not_contains_nocase',
  '_starts_with',
  '_starts_with_nocase',
  '_ends_with',
  '_ends_with_nocase',
];

const list = (entity: string) =>
  `(skip: Int = 0, first: Int = 100, orderBy: ${entity}_orderBy, orderDirection: OrderDirection, where: ${entity}_filter`;

/** The dialect of the subgraph: every entity with its filters, orders and lists. */
export function subgraphSchema(): GraphQLSchema {
  const types = Object.entries(entities).map(([entity, fields]) => {
    const output = Object.entries(fields).map(([name, text]) => {
      const { type, by } = fieldOf(text);
      return by ? `${name}${list(type)}): [${type}!]!` : `${name}: ${text}`;
    });
    const filters = Object.entries(fields).flatMap(([name, text]) => filtersOf(name, text));
    const orders = Object.entries(fields).flatMap(([name, text]) => ordersOf(name, text));
    return `
      type ${entity} { ${output.join('\n')} }
      input ${entity}_filter { ${filters.join('\n')} and: [${entity}_filter] or: [${entity}_filter] }
      enum ${entity}_orderBy { ${orders.join(' ')} }`;
  });
  const queries = Object.entries(roots).map(
    ([name, entity]) =>
      `${name}${list(entity)}, block: Block_height, subgraphError: _SubgraphErrorPolicy_! = deny): [${entity}!]!`,
  );
  return buildSchema(`
    scalar BigInt scalar Bytes
    enum OrderDirection { asc desc }
    enum _SubgraphErrorPolicy_ { allow deny }
    input Block_height { hash: Bytes number: Int number_gte: Int }
    type _Block_ { hash: Bytes number: Int! timestamp: Int parentHash: Bytes }
    type _Meta_ { block: _Block_! deployment: String! hasIndexingErrors: Boolean! }
    ${types.join('\n')}
    type Query { ${queries.join('\n')} _meta(block: Block_height): _Meta_ }`);
}

function filtersOf(name: string, text: string): string[] {
  const { type, isList, by } = fieldOf(text);
  if (by) return [`${name}_: ${type}_filter`];
  if (isList) return [`${name}: [${type}!]`, `${name}_contains: [${type}!]`];
  const value = isEntity(type) ? 'String' : type;
  return [
    `${name}: ${value}`,
    ...(isEntity(type) ? [`${name}_: ${type}_filter`] : []),
    ...comparisons.map((suffix) => `${name}${suffix}: ${value}`),
    ...sets.map((suffix) => `${name}${suffix}: [${value}!]`),
    ...(value === 'String' ? texts.map((suffix) => `${name}${suffix}: String`) : []),
  ];
}

function ordersOf(name: string, text: string): string[] {
  const { type, by } = fieldOf(text);
  if (by || !isEntity(type)) return [name];
  const inner = Object.entries(entities[type]).filter(([, one]) => !isEntity(fieldOf(one).type));
  return [name, ...inner.map(([one]) => `${name}__${one}`)];
}
