import { memoize1 } from '@graphql-tools/utils';
import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type GraphQLSchema,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  printSchema,
  visit,
} from 'graphql';

/** Keys of the entities, for other subgraphs. */
const keys: Record<string, readonly string[]> = {
  SRR: ['id', 'tokenId collection { address }'],
  LicensedUser: ['id', 'address'],
  Collection: ['id', 'address'],
};
/** Types that every Relay schema defines in the same way. */
const shareable = ['PageInfo'];
/** Definitions that a router itself adds to each subgraph. */
const machinery = ['_Any', '_Entity', '_Service', '_entities', '_service'];

const link = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])`;

/** The schema with the directives of Apollo Federation 2, for the composition of a supergraph. */
export const printSubgraphSchema = memoize1(
  (schema: GraphQLSchema) => `${link}\n\n${print(subgraphOf(schema))}\n`,
);

const subgraphOf = (schema: GraphQLSchema) =>
  visit(parse(printSchema(schema)), {
    enter(node) {
      if ('name' in node && node.name && machinery.includes(node.name.value)) return null;
      // Composers refuse this standard directive. The gateway still enforces it.
      if (node.kind === Kind.DIRECTIVE && node.name.value === 'oneOf') return null;
      return node.kind === Kind.OBJECT_TYPE_DEFINITION ? withDirectives(node) : undefined;
    },
  });

function withDirectives(node: ObjectTypeDefinitionNode): DefinitionNode | undefined {
  const { value } = node.name;
  const added = [
    ...(keys[value] ?? []).map((fields) => `@key(fields: "${fields}")`),
    ...(shareable.includes(value) ? ['@shareable'] : []),
  ];
  if (added.length === 0) return undefined;
  return { ...node, directives: [...(node.directives ?? []), ...directivesIn(added.join(' '))] };
}

function directivesIn(text: string): readonly ConstDirectiveNode[] {
  const [type] = parse(`type T ${text}`, { noLocation: true }).definitions as ObjectTypeDefinitionNode[];
  return type?.directives ?? [];
}
