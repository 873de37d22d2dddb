import { setTimeout as sleep } from 'node:timers/promises';
import { execute, type GraphQLFieldResolver, parse, validate } from 'graphql';
import type { Block } from './chain.ts';
import type { Entity, Row } from './ledger.ts';
import { entities, fieldOf, isEntity, roots } from './subgraph-entities.ts';
import { compare, type Filter, fits, QueryError, type View } from './subgraph-filter.ts';
import { subgraphSchema } from './subgraph-schema.ts';
import type { Reply, SeenRequest } from './web.ts';
import type { World } from './world.ts';

interface ListArguments {
  skip: number;
  first: number;
  orderBy?: string;
  orderDirection?: 'asc' | 'desc';
  where?: Filter;
  block?: { hash?: string; number?: number; number_gte?: number };
}

/** Answers queries of the indexed chain, at the newest or an older block. */
export class SubgraphServer {
  readonly #world: World;
  readonly #schema = subgraphSchema();

  constructor(world: World) {
    this.#world = world;
  }

  /** The newest indexed block. */
  get head(): Block {
    const { chain, variants } = this.#world;
    const { lagBlocks, lagMs } = variants.index;
    const seen = chain.blocks.slice(0, chain.blocks.length - lagBlocks || undefined);
    const latest = Date.now() - lagMs;
    return seen.findLast(({ at }) => at <= latest) ?? (chain.blocks[0] as Block);
  }

  async answer({ body }: SeenRequest): Promise<Reply> {
    const { query = '', variables = {} } = body ?? {};
    const errors = (list: readonly { message: string }[]): Reply => ({
      status: 200,
      body: { errors: list.map(({ message }) => ({ message })) },
    });
    try {
      const document = parse(String(query));
      const faults = validate(this.#schema, document);
      if (faults.length > 0) return errors(faults);
      // All lists of a request are read at one block, like in the real subgraph.
      const contextValue = { head: this.head };
      const result = await execute({
        schema: this.#schema,
        document,
        variableValues: variables,
        contextValue,
        fieldResolver: this.#resolve,
      });
      return result.errors ? errors(result.errors) : { status: 200, body: { data: result.data } };
    } catch (error) {
      return errors([error as Error]);
    }
  }

  /** Waits until a block is indexed. */
  async reaches(block: number): Promise<void> {
    while (this.head.number < block) await sleep(5);
  }

  readonly #resolve: GraphQLFieldResolver<unknown, { head: Block }> = (source, args, { head }, info) => {
    const { fieldName, parentType } = info;
    const { chain, variants } = this.#world;
    if (parentType.name === 'Query') {
      const block = this.#blockAt((args as ListArguments).block, head);
      if (fieldName === '_meta') {
        const { blockDetails, hasIndexingErrors } = variants.index;
        const { number, hash, timestamp } = block;
        const details = blockDetails ? { hash, timestamp } : { hash: null, timestamp: null };
        return { block: { number, ...details, parentHash: null }, deployment: 'QmOther', hasIndexingErrors };
      }
      const view: View = { ledger: chain.ledger, block: block.number };
      return listOf(view, roots[fieldName] as Entity, args as ListArguments);
    }
    if (!isEntity(parentType.name)) return (source as Record<string, unknown>)[fieldName];
    const { view, row } = source as { view: View; row: Row };
    const { type, by } = fieldOf(entities[parentType.name][fieldName] as string);
    if (!isEntity(type)) return row[fieldName] ?? null;
    if (by) return listOf(view, type, args as ListArguments, (one) => one[by] === row.id);
    const other = view.ledger.get(type, String(row[fieldName] ?? ''), view.block);
    return other ? { view, row: other } : null;
  };

  #blockAt(constraint: ListArguments['block'], head: Block): Block {
    const { chain } = this.#world;
    if (!constraint) return head;
    const number = constraint.number ?? constraint.number_gte;
    if (constraint.hash !== undefined) {
      const block = chain.blocks.find(({ hash }) => hash === constraint.hash);
      if (!block)
        throw new QueryError('Failed to decode `block.hash` value: `no block with that hash found`');
      return block;
    }
    if (number === undefined) return head;
    if (number > head.number)
      throw new QueryError(
        `Failed to decode \`block.number\` value: \`subgraph QmOther has only indexed up to block number ${head.number} and data for block number ${number} is therefore not yet available\``,
      );
    if (constraint.number === undefined) return head;
    const block = chain.blocks.find((one) => one.number === number);
    if (!block) throw new QueryError('the subgraph only has data starting at block number 1000');
    return block;
  }
}

function listOf(
  view: View,
  entity: Entity,
  { skip, first, orderBy = 'id', orderDirection = 'asc', where }: ListArguments,
  belongs: (row: Row) => boolean = () => true,
): { view: View; row: Row }[] {
  if (first < 0 || first > 1_000)
    throw new QueryError(`The value of the \`first\` argument must be between 0 and 1000, but is ${first}`);
  const [field = 'id', inner] = orderBy.split('__');
  const { type } = fieldOf(entities[entity][field] as string);
  const sorted = inner && isEntity(type) ? fieldOf(entities[type][inner] as string).type : type;
  const keyOf = (row: Row) =>
    (inner && isEntity(type) ? view.ledger.get(type, String(row[field]), view.block)?.[inner] : row[field]) ??
    null;
  const isNumber = sorted === 'BigInt' || sorted === 'Int';
  const direction = orderDirection === 'desc' ? -1 : 1;
  return view.ledger
    .all(entity, view.block)
    .filter((row) => belongs(row) && fits(view, entity, row, where ?? {}))
    .sort((a, b) => direction * (compare(keyOf(a), keyOf(b), isNumber) || compare(a.id, b.id, false)))
    .slice(skip, skip + first)
    .map((row) => ({ view, row }));
}
