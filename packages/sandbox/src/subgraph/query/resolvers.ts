import type { Logger } from '@srr-gateway/common/log';
import {
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isObjectType,
} from 'graphql';
import type { Entity, EntityField, EntityModel } from '../schema/entity-model.ts';
import { rootNames } from '../schema/root-names.ts';
import type { Row } from '../store/columns.ts';
import { type AnswerBlock, answerBlock, type BlockArgument, type IndexState } from './block-constraint.ts';
import { findMany, type ListArguments, type Reader } from './find.ts';
import type { Loaders } from './loaders.ts';

/** What the resolvers of one request share. */
export interface QueryContext {
  state: IndexState;
  reader: Reader;
  loaders: Loaders;
  hasIndexingErrors: boolean;
  log: Logger;
  /** The highest block that the query read; a reorganisation above it does not affect the answer. */
  used: { block: number };
  /** The fields of the root by their response keys, as they are resolved. */
  rootFields: Map<string, RootField>;
}

interface RootField {
  /** The `block` argument as text: graph-node runs the fields with an equal one together. */
  block: string;
  allowsErrors: boolean;
}

/** The arguments that every field of the root has; `_meta` has no `subgraphError`. */
interface RootArguments {
  block?: BlockArgument;
  subgraphError?: 'allow' | 'deny';
}

/** A row and the block it was read at; its child entities are read at the same block. */
interface Located {
  row: Row;
  block: number;
}

type Resolver<S = unknown, A = object> = GraphQLFieldResolver<S, QueryContext, A & Record<string, unknown>>;

/** Gives every field of the schema its resolver. Throws when the schema lacks a type of the model. */
export function attachResolvers(schema: GraphQLSchema, model: EntityModel): void {
  const query = schema.getQueryType()?.getFields() ?? {};
  for (const entity of model.entities) {
    const { one, many } = rootNames(entity.name);
    if (query[one]) query[one].resolve = rootOne(entity);
    if (query[many]) query[many].resolve = rootMany(entity);
    const type = schema.getType(entity.name);
    if (!isObjectType(type)) throw new Error(`the schema has no type ${entity.name}`);
    const fields = type.getFields();
    for (const field of entity.fields) {
      const definition = fields[field.name];
      if (definition) definition.resolve = fieldResolver(model, field);
    }
  }
  if (query._meta) query._meta.resolve = meta;
}

function rootOne(entity: Entity): Resolver<unknown, { id: string } & RootArguments> {
  return async (_source, args, context, info) => {
    const { number } = await locate(context, args, info);
    return located(await context.loaders.one(entity, args.id, number), number);
  };
}

function rootMany(entity: Entity): Resolver<unknown, ListArguments & RootArguments> {
  return async (_source, args, context, info) => {
    const { number } = await locate(context, args, info);
    const rows = await findMany(context.reader, entity, args, number);
    return rows.map((row) => located(row, number));
  };
}

function fieldResolver(model: EntityModel, field: EntityField): Resolver<Located, ListArguments> {
  if (field.kind === 'derived') {
    const child = model.entity(field.type);
    return async ({ row, block }, args, { loaders }) => {
      const rows = await loaders.children(child, field, row.id, args, block);
      return rows.map((found) => located(found, block));
    };
  }
  if (field.kind === 'reference') {
    const target = model.entity(field.type);
    return async ({ row, block }, _args, { loaders }) => {
      const id = row[field.name];
      return typeof id === 'string' ? located(await loaders.one(target, id, block), block) : null;
    };
  }
  return ({ row }) => row[field.name];
}

const meta: Resolver<unknown, RootArguments> = async (_source, args, context, info) => ({
  block: await locate(context, args, info),
  deployment: context.state.deployment,
  hasIndexingErrors: context.hasIndexingErrors,
});

/** The block that a field of the root is answered at. */
async function locate(
  context: QueryContext,
  args: RootArguments,
  { path }: GraphQLResolveInfo,
): Promise<AnswerBlock> {
  context.rootFields.set(`${path.key}`, {
    block: JSON.stringify(args.block ?? {}),
    allowsErrors: args.subgraphError === 'allow',
  });
  const block = await answerBlock(context.state, args.block);
  context.used.block = Math.max(context.used.block, block.number);
  return block;
}

function located(row: Row | undefined, block: number): Located | null {
  return row ? { row, block } : null;
}
