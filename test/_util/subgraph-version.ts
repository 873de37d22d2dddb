import { readFileSync } from 'node:fs';
import {
  buildASTSchema,
  buildSchema,
  extendSchema,
  type GraphQLSchema,
  graphql,
  Kind,
  parse,
  visit,
} from 'graphql';
import { reply, serve, type TestServer } from './http-server.ts';

// A subgraph of another version: the same dialect over a schema with more or with fewer fields.

const sdl = readFileSync(new URL('../../schema/subgraph.graphql', import.meta.url), 'utf8');

export const withMore = (extension: string): GraphQLSchema =>
  extendSchema(buildSchema(sdl), parse(extension));

const members: string[] = [Kind.FIELD_DEFINITION, Kind.INPUT_VALUE_DEFINITION, Kind.ENUM_VALUE_DEFINITION];

/** Without some fields of types, and without what filters and orders say of them; or without whole types. */
export function withLess(less: { fields: Record<string, string[]>; types?: string[] }): GraphQLSchema {
  const gone = new Set((less.types ?? []).flatMap((type) => [type, `${type}_filter`, `${type}_orderBy`]));
  const lacks = (owner: string, name: string) => {
    const type = owner.replace(/_(filter|orderBy)$/, '');
    // Filters and orders go by the field's name and an operator, or a field of what it refers to.
    const bare = owner === type ? name : name.replace(/_.*/, '');
    return less.fields[type]?.includes(bare);
  };
  const document = visit(parse(sdl), {
    enter: (node, _key, _parent, _path, ancestors) => {
      const name = nameOf(node);
      if (name === undefined || !node.kind.endsWith('Definition')) return undefined;
      const owner = ancestors.findLast((one) => nameOf(one) !== undefined);
      const cut = members.includes(node.kind) ? lacks(nameOf(owner) ?? '', name) : gone.has(name);
      return cut ? null : undefined;
    },
  });
  return buildASTSchema(document);
}

const nameOf = (node: unknown) => (node as { name?: { value: string } } | undefined)?.name?.value;

type Row = Record<string, unknown>;

export interface VersionServer extends TestServer {
  /** The operations that were refused. */
  refused: string[];
}

/** Serves fixed rows by root field; filters know `and`, `or`, `_in`, `_not`, and equality with a value or an id. */
export async function serveVersion(
  schema: GraphQLSchema,
  rows: () => Record<string, Row[]>,
): Promise<VersionServer> {
  const refused: string[] = [];
  const meta = {
    block: { number: 7, hash: `0x${'7'.padStart(64, '0')}`, timestamp: 1_700_000_000 },
    deployment: 'Qm',
    hasIndexingErrors: false,
  };
  const server = await serve(async (request, response) => {
    const { query, variables } = request.json<{ query: string; variables: Record<string, unknown> }>();
    const lists = Object.entries(rows()).map(([name, list]) => [
      name,
      ({ where, first }: { where?: Row; first: number }) =>
        list.filter((row) => matches(row, where ?? {})).slice(0, first),
    ]);
    const rootValue = { ...Object.fromEntries(lists), _meta: meta };
    const answer = await graphql({ schema, source: query, variableValues: variables, rootValue });
    if (answer.errors) refused.push(query);
    reply(response, 200, answer);
  });
  return { ...server, refused };
}

function matches(row: Row, where: Row): boolean {
  return Object.entries(where).every(([key, wanted]) => {
    if (key === 'or') return (wanted as Row[]).some((part) => matches(row, part));
    if (key === 'and') return (wanted as Row[]).every((part) => matches(row, part));
    if (key.endsWith('_not')) return !matches(row, { [key.slice(0, -4)]: wanted });
    if (key.endsWith('_in')) return (wanted as unknown[]).includes(row[key.slice(0, -3)]);
    const value = row[key] as Row | string | null | undefined;
    return (typeof value === 'object' && value ? value.id : (value ?? null)) === wanted;
  });
}
