import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import type { ConcreteRequest } from 'relay-runtime';

/** An operation without variables and fragments as Relay's compiler would write it, for relay-runtime. */
export function relayRequest(schema: GraphQLSchema, text: string): ConcreteRequest {
  const operation = parse(text).definitions[0] as OperationDefinitionNode;
  const name = operation.name?.value ?? 'Query';
  const query = schema.getQueryType() as GraphQLObjectType;
  const selections = selectionsOf(query, operation.selectionSet);
  const params = {
    cacheID: name,
    id: null,
    metadata: {},
    name,
    operationKind: 'query',
    text: asSent(selections),
  };
  return {
    kind: 'Request',
    fragment: {
      argumentDefinitions: [],
      kind: 'Fragment',
      metadata: null,
      name,
      selections,
      type: 'Query',
      abstractKey: null,
    },
    operation: { argumentDefinitions: [], kind: 'Operation', name, selections },
    params,
  } as unknown as ConcreteRequest;
}

interface Selection {
  name: string;
  args: { name: string; value: unknown; written: string }[] | null;
  selections?: Selection[];
  [key: string]: unknown;
}

/** Relay asks for the id of everything that has one. */
function selectionsOf(type: GraphQLObjectType, { selections }: SelectionSetNode): Selection[] {
  const fields = selections.filter((one): one is FieldNode => one.kind === Kind.FIELD);
  const asked = fields.map((field) => selectionOf(type, field));
  const missing = type.getFields().id && !fields.some(({ name }) => name.value === 'id');
  return missing ? [...asked, scalar('id', null)] : asked;
}

function selectionOf(type: GraphQLObjectType, field: FieldNode): Selection {
  const { value: name } = field.name;
  const given = (field.arguments ?? []).map((one) => ({
    kind: 'Literal',
    name: one.name.value,
    value: valueFromASTUntyped(one.value),
    written: print(one.value),
  }));
  const args = given.length > 0 ? given : null;
  const definition = type.getFields()[name];
  const below = getNamedType(definition?.type);
  if (!definition || !below || isLeafType(below) || !field.selectionSet) return scalar(name, args);
  const nullable = isNonNullType(definition.type) ? definition.type.ofType : definition.type;
  return {
    alias: null,
    args,
    concreteType: below.name,
    kind: 'LinkedField',
    name,
    plural: isListType(nullable),
    selections: selectionsOf(below as GraphQLObjectType, field.selectionSet),
    storageKey: null,
  };
}

const scalar = (name: string, args: Selection['args']): Selection => ({
  alias: null,
  args,
  kind: 'ScalarField',
  name,
  storageKey: null,
});

const asSent = (selections: readonly Selection[]): string =>
  `{ ${selections
    .map(({ name, args, selections }) => {
      const given = args ? `(${args.map((one) => `${one.name}: ${one.written}`).join(', ')})` : '';
      return `${name}${given} ${selections ? asSent(selections) : ''}`;
    })
    .join(' ')} }`;
