import { collectFields, collectSubFields } from '@graphql-tools/utils';
import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getArgumentValues,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';
import type { MaybePromise } from '../../../lib/maybe-promise.ts';
import type { Context } from '../context.ts';
import { usesVariables } from '../limits/measure-document.ts';
import type { ParsedOperation } from '../operation.ts';
import { type PartConditions, reuseParts } from './immutable-parts.ts';

/** The part of the resolvers' context that a plan itself reads. */
export type PlanContext = Pick<Context, 'languages'> & {
  loaders: Pick<Context['loaders'], 'mayChangeWithoutNewBlock'>;
};

/** Thrown when graphql-js must execute the query: at an error, a null for a non-null type, or an abstract type. */
const leaveToGraphQL = new Error('not for a plan');

type Field = GraphQLField<unknown, unknown>;
type Complete = (value: unknown, run: Run) => MaybePromise<unknown>;

interface PlannedField {
  key: string;
  index: number;
  definition: Field;
  node: FieldNode;
  /** The field's GraphQLResolveInfo, without the variables. */
  info: GraphQLResolveInfo;
  /** Undefined when the arguments depend on variables. */
  args: Record<string, unknown> | undefined;
  resolve: NonNullable<Field['resolve']>;
  complete: Complete;
}

/**
 * The execution plan of a query: its fields, their types, and the arguments without variables. A plan cannot report
 * errors. Where graphql-js would report one, the plan throws, and graphql-js executes the query again, so resolvers
 * must be safe to run twice.
 */
export class Plan {
  readonly #operation: ParsedOperation;
  readonly #conditions: Record<string, unknown>;
  readonly #root: PlannedField[];
  #fields = 0;

  /** Of a query. `conditions` are the variables that @skip and @include use; throws when one of them is null. */
  constructor(parsed: ParsedOperation, conditions: Record<string, unknown>) {
    this.#operation = parsed;
    this.#conditions = conditions;
    const { schema, fragments, operation } = parsed;
    const type = schema.getQueryType();
    if (!type) throw leaveToGraphQL;
    const { fields } = collectFields(schema, fragments, conditions, type, operation.selectionSet);
    this.#root = this.#plan(type, fields);
  }

  /** The data of the response; rejects or throws when graphql-js has to execute the query and report the error. */
  execute(context: PlanContext, variables: Record<string, unknown>): MaybePromise<Record<string, unknown>> {
    return readFields(this.#root, undefined, new Run(context, variables));
  }

  #plan(type: GraphQLObjectType, fields: Map<string, FieldNode[]>): PlannedField[] {
    return [...fields].map(([key, nodes]) => {
      const [node] = nodes as [FieldNode];
      const definition = metaFields[node.name.value] ?? type.getFields()[node.name.value];
      // Assigning this key would set the prototype.
      if (!definition || key === '__proto__') throw leaveToGraphQL;
      return {
        key,
        index: this.#fields++,
        definition,
        node,
        info: {
          ...this.#operation,
          fieldName: definition.name,
          fieldNodes: nodes,
          returnType: definition.type,
          parentType: type,
          rootValue: undefined,
          variableValues: {},
          /** Plans track no paths: only errors need them. */
          get path(): never {
            throw leaveToGraphQL;
          },
        },
        args: usesVariables(node) ? undefined : getArgumentValues(definition, node),
        resolve: definition.resolve ?? defaultFieldResolver,
        complete: this.#completer(definition.type, nodes),
      };
    });
  }

  #completer(type: GraphQLOutputType, nodes: FieldNode[]): Complete {
    if (isNonNullType(type)) {
      const complete = this.#completer(type.ofType, nodes);
      return (value, run) => {
        const completed = complete(value, run);
        return completed instanceof Promise ? completed.then(present) : present(completed);
      };
    }
    if (isListType(type)) {
      const complete = this.#completer(type.ofType, nodes);
      return (value, run) => (value == null ? null : readList(value as unknown[], complete, run));
    }
    if (isLeafType(type))
      return (value) => {
        if (value == null) return null;
        if (value instanceof Error) throw leaveToGraphQL;
        return present(type.serialize(value));
      };
    if (!isObjectType(type)) throw leaveToGraphQL;
    const { schema, fragments } = this.#operation;
    // Planned when first needed: an empty list may have selections too large to plan.
    let fields: PlannedField[] = [];
    const complete = reuseParts(type.extensions, (value, run: Run) => readFields(fields, value, run));
    return (value, run) => {
      if (value == null) return null;
      if (value instanceof Error) throw leaveToGraphQL;
      if (fields.length === 0)
        fields = this.#plan(type, collectSubFields(schema, fragments, this.#conditions, type, nodes).fields);
      return complete(value, run);
    };
  }
}

/** Fields about the schema. Validation allows the first two on the query type only. */
const metaFields: Record<string, Field | undefined> = {
  [SchemaMetaFieldDef.name]: SchemaMetaFieldDef,
  [TypeMetaFieldDef.name]: TypeMetaFieldDef,
  [TypeNameMetaFieldDef.name]: TypeNameMetaFieldDef,
};

/** One execution of a plan. */
class Run implements PartConditions {
  readonly context: PlanContext;
  readonly variables: Record<string, unknown>;
  readonly languages: string;
  variablesRead = 0;
  readonly #infos: GraphQLResolveInfo[] = [];
  readonly #args: Record<string, unknown>[] = [];

  constructor(context: PlanContext, variables: Record<string, unknown>) {
    this.context = context;
    this.variables = variables;
    this.languages = context.languages.join();
  }

  get mayChangeWithoutNewBlock(): boolean {
    return this.context.loaders.mayChangeWithoutNewBlock;
  }

  args(field: PlannedField): Record<string, unknown> {
    if (field.args) return field.args;
    this.variablesRead++;
    const known = this.#args[field.index];
    if (known) return known;
    const args = getArgumentValues(field.definition, field.node, this.variables);
    this.#args[field.index] = args;
    return args;
  }

  info(field: PlannedField): GraphQLResolveInfo {
    const known = this.#infos[field.index];
    if (known) return known;
    const info = Object.create(field.info);
    info.variableValues = this.variables;
    this.#infos[field.index] = info;
    return info;
  }
}

function readFields(
  fields: readonly PlannedField[],
  source: unknown,
  run: Run,
): MaybePromise<Record<string, unknown>> {
  const result: Record<string, unknown> = {};
  let waiting: Promise<void>[] | undefined;
  for (const field of fields) {
    const { key, complete } = field;
    const resolved = field.resolve(source, run.args(field), run.context, run.info(field));
    const value =
      resolved instanceof Promise ? resolved.then((known) => complete(known, run)) : complete(resolved, run);
    // Assign before waiting, so that the fields keep their order.
    result[key] = value;
    if (!(value instanceof Promise)) continue;
    waiting ??= [];
    waiting.push(
      handled(
        value.then((known) => {
          result[key] = known;
        }),
      ),
    );
  }
  return waiting ? Promise.all(waiting).then(() => result) : result;
}

/** Throws for a value that is no list, which graphql-js then reports. */
function readList(value: unknown[], complete: Complete, run: Run): MaybePromise<unknown[]> {
  let waits = false;
  const items = value.map((item) => {
    const completed =
      item instanceof Promise ? item.then((known) => complete(known, run)) : complete(item, run);
    if (!(completed instanceof Promise)) return completed;
    waits = true;
    return handled(completed);
  });
  return waits ? Promise.all(items) : items;
}

/** Marks a promise as handled: after another value has failed nobody awaits this one. */
function handled<T>(value: Promise<T>): Promise<T> {
  value.catch(() => {});
  return value;
}

function present(value: unknown): unknown {
  if (value == null) throw leaveToGraphQL;
  return value;
}
