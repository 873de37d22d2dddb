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
import { type Entity, type EntityField, type EntityModel, registryEntities } from './entity-model.ts';
import { filterType } from './filter-type.ts';
import { rootNames } from './root-names.ts';

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

const block = '"The block to answer at; the latest one when absent." block: Block_height';
const errors =
  '"`allow` gives data even when the subgraph skipped errors." subgraphError: _SubgraphErrorPolicy_! = deny';

/** SDL of the arguments of every list of an entity, at the root and in other entities. */
function listArguments(entity: string): string {
  return `skip: Int = 0, first: Int = 100, orderBy: ${entity}_orderBy, orderDirection: OrderDirection, where: ${entity}_filter`;
}

/** SDL of the root type: for every entity a field for one and a field for a list, and `_meta`. */
function queryType(model: EntityModel): string {
  const fields = model.entities.map(({ name }) => {
    const { one, many } = rootNames(name);
    return `  ${one}(id: ID!, ${block}, ${errors}): ${name}
  ${many}(${listArguments(name)}, ${block}, ${errors}): [${name}!]!`;
  });
  return `type Query {
${fields.join('\n')}
  "Which block the subgraph has reached, and how it fares."
  _meta(block: Block_height): _Meta_
}`;
}

/**
 * SDL of the `orderBy` enum of an entity: its own fields, and the scalar and enum fields of its references.
 */
function orderType(entity: Entity, model: EntityModel): string {
  const values = entity.fields.flatMap((field) => [field.name, ...nested(field, model)]);
  return `enum ${entity.name}_orderBy {\n  ${values.join('\n  ')}\n}`;
}

function nested(field: EntityField, model: EntityModel): string[] {
  if (field.kind !== 'reference' || field.list) return [];
  return model
    .entity(field.type)
    .fields.filter((child) => !child.list && (child.kind === 'scalar' || child.kind === 'enum'))
    .map((child) => `${field.name}__${child.name}`);
}
