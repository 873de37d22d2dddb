import { readFileSync } from 'node:fs';
import { type FieldDefinitionNode, Kind, type ObjectTypeDefinitionNode, parse, type TypeNode } from 'graphql';

/**
 * How a field is stored: scalars and enums as values, references as
 * the other entity's id, derived lists not at all.
 */
type FieldKind = 'scalar' | 'enum' | 'reference' | 'derived';

/** A field of an entity, as the SDL declares it. */
export interface EntityField {
  name: string;
  kind: FieldKind;
  /** Name of the scalar, enum or entity, without list and non-null marks. */
  type: string;
  list: boolean;
  nonNull: boolean;
  /** For a derived field: the field of the other entity that points back here. */
  derivedFrom?: string;
}

export interface Entity {
  name: string;
  fields: readonly EntityField[];
}

/** The entities of a subgraph, as its SDL declares them. */
export interface EntityModel {
  sdl: string;
  entities: readonly Entity[];
  entity(name: string): Entity;
}

/** Parses an entity SDL. Throws on invalid SDL, which would be a bug: the file is part of this package. */
export function parseEntities(sdl: string): EntityModel {
  const document = parse(sdl);
  const objects = document.definitions.filter((node) => node.kind === Kind.OBJECT_TYPE_DEFINITION);
  const entityNames = new Set(objects.map((node) => node.name.value));
  const enumNames = new Set(
    document.definitions
      .filter((node) => node.kind === Kind.ENUM_TYPE_DEFINITION)
      .map((node) => node.name.value),
  );
  const toEntity = (node: ObjectTypeDefinitionNode): Entity => ({
    name: node.name.value,
    fields: (node.fields ?? []).map((field) => toField(field, entityNames, enumNames)),
  });
  const entities = objects.map(toEntity);
  const byName = new Map(entities.map((entity) => [entity.name, entity]));
  return {
    sdl,
    entities,
    entity: (name) => {
      const entity = byName.get(name);
      if (!entity) throw new Error(`no entity is called ${name}`);
      return entity;
    },
  };
}

function toField(node: FieldDefinitionNode, entities: Set<string>, enums: Set<string>): EntityField {
  const { type, list, nonNull } = unwrap(node.type);
  const derivedFrom = derivedFromArgument(node);
  const kind: FieldKind =
    derivedFrom !== undefined
      ? 'derived'
      : entities.has(type)
        ? 'reference'
        : enums.has(type)
          ? 'enum'
          : 'scalar';
  const field: EntityField = { name: node.name.value, kind, type, list, nonNull };
  return derivedFrom === undefined ? field : { ...field, derivedFrom };
}

function unwrap(node: TypeNode): { type: string; list: boolean; nonNull: boolean } {
  if (node.kind === Kind.NAMED_TYPE) return { type: node.name.value, list: false, nonNull: false };
  const inner = unwrap(node.type);
  return node.kind === Kind.LIST_TYPE
    ? { ...inner, list: true, nonNull: false }
    : { ...inner, nonNull: true };
}

function derivedFromArgument(node: FieldDefinitionNode): string | undefined {
  const value = node.directives?.find((directive) => directive.name.value === 'derivedFrom')?.arguments?.[0]
    ?.value;
  return value?.kind === Kind.STRING ? value.value : undefined;
}

/** The entities of the registry's subgraph. */
export function registryEntities(): EntityModel {
  return parseEntities(readFileSync(new URL('../entities.graphql', import.meta.url), 'utf8'));
}
