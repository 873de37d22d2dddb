import { readFileSync } from 'node:fs';
import {
  buildASTSchema,
  type DocumentNode,
  type GraphQLSchema,
  type InputValueDefinitionNode,
  Kind,
  parse,
  print,
  printSchema,
  type TypeNode,
  visit,
} from 'graphql';
import { type EntityModel, registryEntities } from './entity-model.ts';
import { filterType } from './filter-type.ts';
import { orderType } from './order-type.ts';
import { listArguments, queryType } from './query-type.ts';

/**
 * The schema that graph-node serves for a subgraph's entities: the entities with arguments on their lists, a
 * filter and an order type for each, and the root fields. It has no resolvers.
 */
export function apiSchema(model: EntityModel): GraphQLSchema {
  const builtIns = readFileSync(new URL('./built-ins.graphql', import.meta.url), 'utf8');
  const entities = print(withListArguments(parse(model.sdl)));
  const derived = model.entities.flatMap((entity) => [orderType(entity, model), filterType(entity)]);
  return buildASTSchema(parse([builtIns, entities, ...derived, queryType(model)].join('\n\n')));
}

/** The schema of the registry's subgraph as SDL; clients generate code from it. */
export function printSubgraphSchema(): string {
  return `${printSchema(apiSchema(registryEntities()))}\n`;
}

/** Adds the arguments for filter, order and paging to every derived list. */
function withListArguments(document: DocumentNode): DocumentNode {
  return visit(document, {
    FieldDefinition: (field) =>
      field.directives?.some((directive) => directive.name.value === 'derivedFrom')
        ? { ...field, arguments: parseArguments(listArguments(namedType(field.type))) }
        : undefined,
  });
}

function namedType(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);
}

function parseArguments(sdl: string): readonly InputValueDefinitionNode[] {
  const [holder] = parse(`type Holder { field(${sdl}): Int }`).definitions;
  return (holder?.kind === Kind.OBJECT_TYPE_DEFINITION && holder.fields?.[0]?.arguments) || [];
}
