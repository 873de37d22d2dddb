import {
  buildClientSchema,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type IntrospectionQuery,
  isInputObjectType,
  parse,
  print,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { LRUCache } from 'lru-cache';

const times = ['createdAt', 'updatedAt'];

/**
 * Columns that every subgraph has, by type: a read fails where one is missing. Any other column came with a
 * newer version: where it is missing, our schema shows null, or an empty list.
 */
export const required: Record<string, readonly string[]> = {
  Query: ['srrs', 'licensedUserWallets', '_meta'],
  _Meta_: ['block', 'hasIndexingErrors'],
  _Block_: ['number'],
  SRR: ['id', 'tokenId', 'issuer', 'artist', 'artistAddress', 'ownerAddress', 'metadataDigest', ...times],
  LicensedUserWallet: [
    'id',
    'walletAddress',
    'threshold',
    'englishName',
    'originalName',
    'userType',
    'owners',
    ...times,
  ],
  Collection: ['id', 'name', 'symbol', 'ownerAddress', ...times],
  CustomHistory: ['id', 'name', 'historyType', 'metadataDigest', 'createdAt'],
  CustomHistoryType: ['name'],
  SRRProvenance: ['id', 'timestamp', 'from', 'to', 'metadataDigest', 'metadataURI'],
  SRRMetadataHistory: ['id', 'metadataDigest', 'createdAt'],
  SRRHistory: ['id', 'createdAt', 'customHistory'],
};

/** Characters of all cached operations: as many as for the composed ones. */
const maxCharacters = 2_000_000;

/** An operation cut to the fields that an older subgraph has. */
interface Trimmed {
  query: string;
  /** Lists that were left out, and that the answer must have empty. */
  absent: string[];
}

/** The schema that an older subgraph has, and operations cut to it. */
export class OlderSchema {
  readonly #schema: GraphQLSchema;
  readonly #trimmed = new LRUCache<string, { found: Trimmed | undefined }>({
    maxSize: maxCharacters,
    sizeCalculation: ({ found }, query) => query.length + (found?.query.length ?? 0),
  });

  constructor(introspection: IntrospectionQuery) {
    this.#schema = buildClientSchema(introspection);
  }

  /**
   * The body of a request cut to the schema, and the lists to return as empty. Undefined when the schema
   * lacks a field that the gateway needs: the subgraph's own refusal is the better message.
   */
  trimBody(body: string): { body: string; absent: string[] } | undefined {
    const { query, variables = {} } = JSON.parse(body) as {
      query: string;
      variables?: Record<string, unknown>;
    };
    const { found } = this.#trimmed.get(query) ?? { found: trimmed(parse(query), this.#schema) };
    this.#trimmed.set(query, { found });
    if (!found) return undefined;
    const cut = JSON.stringify({ query: found.query, variables: this.#trimVariables(variables) });
    return { body: cut, absent: found.absent };
  }

  /**
   * Cuts collection filters. In a schema without collections every record is the registry's, so such a filter
   * is always true and goes, or always false and then matches nothing.
   */
  #trimVariables(variables: Record<string, unknown>): Record<string, unknown> {
    const filter = this.#schema.getType('SRR_filter');
    if (!isInputObjectType(filter) || 'collection' in filter.getFields()) return variables;
    return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, registryOnly(value)]));
  }
}

function trimmed(document: DocumentNode, schema: GraphQLSchema): Trimmed | undefined {
  const info = new TypeInfo(schema);
  const absent: string[] = [];
  let essential = false;
  const cut = visit(
    document,
    visitWithTypeInfo(info, {
      Field: {
        enter: (field) => {
          const parent = info.getParentType();
          if (!parent || info.getFieldDef()) return undefined;
          if (required[parent.name]?.includes(field.name.value)) essential = true;
          if (parent === schema.getQueryType()) absent.push(field.alias?.value ?? field.name.value);
          return null;
        },
        leave: (field: FieldNode) => (field.selectionSet?.selections.length === 0 ? null : undefined),
      },
    }),
  );
  return essential ? undefined : { query: print(withoutUnused(cut)), absent };
}

/** Drops fragments and variables that are no longer used: GraphQL validation refuses them. */
function withoutUnused(document: DocumentNode): DocumentNode {
  const [used = document] = Object.values(separateOperations(document));
  const variables = new Set<string>();
  visit(used, {
    Variable: ({ name }) => void variables.add(name.value),
    VariableDefinition: () => false,
  });
  return visit(used, {
    VariableDefinition: ({ variable }) => (variables.has(variable.name.value) ? undefined : null),
  });
}

function registryOnly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(registryOnly);
  if (typeof value !== 'object' || value === null) return value;
  const { collection, collection_in, collection_not, ...rest } = value as Record<string, unknown>;
  const some = (collection ?? collection_in) != null;
  const none = some || collection_not === null;
  const parts = Object.entries(rest)
    .map(([name, inner]): [string, unknown] => [name, registryOnly(inner)])
    // An empty branch is always true, and so is its `or`: drop it, as a subgraph may read it as never true.
    .filter(([name, inner]) => name !== 'or' || !(Array.isArray(inner) && inner.some(isEmpty)));
  return { ...Object.fromEntries(parts), ...(none && { id_in: [] }) };
}

const isEmpty = (branch: object): boolean => Object.keys(branch).length === 0;
