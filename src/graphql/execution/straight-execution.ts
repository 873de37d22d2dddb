import {
  defaultFieldResolver,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getArgumentValues,
  execute as interpret,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  TypeNameMetaFieldDef,
} from 'graphql';
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js';
import { buildExecutionContext, type ExecutionContext } from 'graphql/execution/execute.js';
import { after, type MaybePromise } from '../../lib/maybe-promise.ts';

/** Turns what a resolver returned into what the response shows. */
type Complete = (value: unknown) => MaybePromise<unknown>;

interface Field {
  key: string;
  resolve: (source: unknown) => unknown;
  complete: Complete;
}

/** Thrown when the fast path cannot go on: an error, a null where none is allowed, an interface. */
const unusual = new Error('not the straight way');

/**
 * Executes a query whose resolvers may run twice. The fast path handles results without errors: it works out
 * once what is the same for every row of a list (fields, arguments, types), and tracks no paths. In every
 * other case graphql-js executes the whole query again, and its result counts.
 */
export async function execute(args: ExecutionArgs): Promise<ExecutionResult> {
  const context = buildExecutionContext(args);
  if ('schema' in context)
    try {
      return { data: await straight(context) };
    } catch {
      // Also for a bug in a resolver: graphql-js runs into it again, and reports where.
    }
  return interpret(args);
}

function straight(context: ExecutionContext): MaybePromise<Record<string, unknown>> {
  const { schema, fragments, operation, variableValues, rootValue } = context;
  const type = schema.getQueryType();
  if (operation.operation !== 'query' || !type) throw unusual;
  const nodes = collectFields(schema, fragments, variableValues, type, operation.selectionSet);
  return read(fieldsOf(context, type, nodes), rootValue);
}

function read(fields: Field[], source: unknown): MaybePromise<Record<string, unknown>> {
  const result: Record<string, unknown> = {};
  let waiting: MaybePromise<unknown>[] | undefined;
  for (const { key, resolve, complete } of fields) {
    const value = after(resolve(source), complete);
    // Assign before waiting, so that the fields keep their order.
    result[key] = value;
    if (!(value instanceof Promise)) continue;
    waiting ??= [];
    waiting.push(
      heard(
        value.then((known) => {
          result[key] = known;
        }),
      ),
    );
  }
  return waiting ? Promise.all(waiting).then(() => result) : result;
}

function fieldsOf(
  context: ExecutionContext,
  parentType: GraphQLObjectType,
  nodes: ReadonlyMap<string, readonly FieldNode[]>,
): Field[] {
  return [...nodes].map(([key, fieldNodes]) => {
    const [node] = fieldNodes as readonly [FieldNode];
    const { value: fieldName } = node.name;
    const field: GraphQLField<unknown, unknown> | undefined =
      fieldName === TypeNameMetaFieldDef.name ? TypeNameMetaFieldDef : parentType.getFields()[fieldName];
    // Assigning this key would set the prototype.
    if (!field || key === '__proto__') throw unusual;
    const args = getArgumentValues(field, node, context.variableValues);
    const resolver = field.resolve ?? defaultFieldResolver;
    const info = new Info(context, parentType, field, fieldNodes);
    return {
      key,
      resolve: (source) => resolver(source, args, context.contextValue, info),
      complete: completer(context, field.type, fieldNodes, info),
    };
  });
}

/** A class, because a getter in an object literal would be created anew for each field of each execution. */
class Info implements GraphQLResolveInfo {
  readonly fieldName: string;
  readonly fieldNodes: readonly FieldNode[];
  readonly returnType: GraphQLOutputType;
  readonly parentType: GraphQLObjectType;
  readonly schema: GraphQLResolveInfo['schema'];
  readonly fragments: GraphQLResolveInfo['fragments'];
  readonly rootValue: unknown;
  readonly operation: GraphQLResolveInfo['operation'];
  readonly variableValues: GraphQLResolveInfo['variableValues'];

  constructor(
    context: ExecutionContext,
    parentType: GraphQLObjectType,
    { name, type }: GraphQLField<unknown, unknown>,
    fieldNodes: readonly FieldNode[],
  ) {
    this.fieldName = name;
    this.fieldNodes = fieldNodes;
    this.returnType = type;
    this.parentType = parentType;
    this.schema = context.schema;
    this.fragments = context.fragments;
    this.rootValue = context.rootValue;
    this.operation = context.operation;
    this.variableValues = context.variableValues;
  }

  get path(): never {
    throw unusual;
  }
}

function completer(
  context: ExecutionContext,
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  info: GraphQLResolveInfo,
): Complete {
  if (isNonNullType(type)) {
    const complete = completer(context, type.ofType, nodes, info);
    return (value) => after(complete(value), present);
  }
  if (isListType(type)) {
    const complete = completer(context, type.ofType, nodes, info);
    return (value) => (value == null ? null : inList(value, complete));
  }
  if (isLeafType(type)) return (value) => (value == null ? null : present(type.serialize(sound(value))));
  if (!isObjectType(type)) throw unusual;
  const subfields = collectSubfields(context.schema, context.fragments, context.variableValues, type, nodes);
  const fields = fieldsOf(context, type, subfields);
  return (value) => {
    if (value == null) return null;
    if (type.isTypeOf && type.isTypeOf(value, context.contextValue, info) !== true) throw unusual;
    return read(fields, sound(value));
  };
}

function inList(value: unknown, complete: Complete): MaybePromise<unknown[]> {
  if (!Array.isArray(value)) throw unusual;
  const items = value.map((item) => heard(after(item, complete)));
  return items.some((item) => item instanceof Promise) ? Promise.all(items) : items;
}

/** When another value has failed nobody waits for this one, and its rejection must not count as unhandled. */
function heard<T>(value: MaybePromise<T>): MaybePromise<T> {
  if (value instanceof Promise) value.catch(() => {});
  return value;
}

function present(value: unknown): unknown {
  if (value == null) throw unusual;
  return value;
}

/** An error that a resolver returns counts as thrown. */
function sound(value: unknown): unknown {
  if (value instanceof Error) throw unusual;
  return value;
}
