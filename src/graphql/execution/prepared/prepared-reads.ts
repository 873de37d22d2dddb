import type { GraphQLSchema } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../../access/caller.ts';
import type { CallerHeaders } from '../../../access/request-credentials.ts';
import type { CatalogRequest } from '../../../catalog/catalog.ts';
import type { QueryLimits } from '../../../config/config.ts';
import type { OperationParams } from '../../../lib/operation-params.ts';
import { createSingleFlight } from '../../../lib/single-flight.ts';
import { withSpan } from '../../../observability/trace.ts';
import type { Context, Contexts } from '../context.ts';
import { type Operation, operationSpan } from '../executor.ts';
import { type Answer, bodyOf, ResponseCache } from '../response-cache.ts';
import type { SharedAnswers } from '../shared-answers.ts';
import { type PreparedRead, prepareRead } from './prepare.ts';

/** Characters of all documents that are kept prepared. A prepared read takes some hundred bytes for each. */
const maxCharacters = 1_000_000;

/** What prepared reads are executed with. */
export interface PreparedReadsOptions {
  schema: GraphQLSchema;
  contexts: Contexts;
  limits: QueryLimits;
  /** Hash of the newest block; undefined while it is in doubt. */
  head(): string | undefined;
  /** A key of the newest state: reads that begin at the same one may share an execution. */
  snapshotKey(): string;
  /** Absent: this replica reads everything itself. */
  shared: SharedAnswers | undefined;
  operationEnded(operation: Operation): void;
}

/** A prepared read with its variables, asked by a caller. */
export interface Question {
  read: PreparedRead;
  /** Equal for requests that ask for the same, in the same languages. */
  key: string;
  variables: Record<string, unknown>;
  caller: Caller;
}

/** A read that has to be executed by the GraphQL server, and what was read for it already. */
export interface Left {
  reads: CatalogRequest | undefined;
}

/** How an answer came about, in the words of the header Cache-Status (RFC 9211). */
export type CacheStatus = 'hit' | 'hit; detail=replica' | 'fwd=miss' | 'fwd=miss; collapsed';

interface Executed {
  answer: Answer | Left;
  cacheStatus: CacheStatus;
}

/**
 * Queries of public records that were asked before, executed by their plans. The first time a document is
 * seen the GraphQL server executes it, and from then on it is prepared here. Everybody who asks the same at
 * the same time shares one execution, and its answer stays in the response cache until the next block.
 */
export class PreparedReads {
  readonly #options: PreparedReadsOptions;
  readonly #cache: ResponseCache;
  readonly #running = createSingleFlight<Answer | Left>();
  /** By document, and there by operation name. */
  readonly #prepared = new LRUCache<string, Map<string, PreparedRead>>({
    maxSize: maxCharacters,
    sizeCalculation: (reads, text) => reads.size * text.length,
  });

  constructor(options: PreparedReadsOptions) {
    this.#options = options;
    this.#cache = new ResponseCache(options.head);
  }

  /** Prepares each document that the GraphQL server has found valid and executes. */
  get plugin(): Plugin<Context> {
    return {
      onExecute: ({ args: { document, operationName, contextValue } }) => {
        const { params } = contextValue as Context & { params?: Partial<OperationParams> };
        if (!params?.query) return;
        if (this.find(params.query, operationName)) return;
        const read = prepareRead(this.#options.schema, document, operationName);
        const others = this.#prepared.get(params.query) ?? [];
        if (read) this.#prepared.set(params.query, new Map([...others, [operationName ?? '', read]]));
      },
    };
  }

  /** The prepared read of a document; undefined when it is to be executed by the GraphQL server. */
  find(query: string, operationName: string | null | undefined): PreparedRead | undefined {
    return this.#prepared.get(query)?.get(operationName ?? '');
  }

  /** An answer that was given before and is still true, for this caller. */
  cached({ read, key, caller }: Omit<Question, 'variables'>): Answer | undefined {
    const answer = isOwn(read, caller) ? undefined : this.#cache.find(key);
    return answer?.anonymousOnly && caller.kind === 'issuer' ? undefined : answer;
  }

  /** What a read costs; undefined when it is too much, or an argument is refused. */
  costOf(read: PreparedRead, variables: Record<string, unknown>): number | undefined {
    try {
      const cost = read.cost(variables);
      return cost <= this.#options.limits.cost ? cost : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Executes a read, or joins an execution that began at the same state of the subgraph: nobody who asks after
   * a new block or a webhook gets what was read before it. An issuer whose answer may differ has its own.
   */
  async execute(
    question: Question,
    { headers, ending }: { headers: CallerHeaders; ending: AbortController },
  ): Promise<Executed> {
    const { contexts, snapshotKey, shared } = this.#options;
    const { read, key, caller } = question;
    const own = async (): Promise<Executed> => ({
      answer: await this.#run(question, contexts.of(caller, headers, ending)),
      cacheStatus: 'fwd=miss',
    });
    if (isOwn(read, caller)) return own();
    let cacheStatus: CacheStatus = 'fwd=miss; collapsed';
    const run = (live: AbortSignal) => {
      cacheStatus = 'fwd=miss';
      return this.#run(question, contexts.forAll(headers, live), { keep: true });
    };
    const answer = await this.#running.join(
      // The key of a question begins with a number, and no key of a state has a blank.
      `${snapshotKey()} ${key}`,
      shared ? async (live) => (await this.#ofOthers(shared, question)) ?? run(live) : run,
      ending.signal,
    );
    if (!('body' in answer)) return { answer, cacheStatus };
    if (answer.anonymousOnly && caller.kind === 'issuer') return own();
    return { answer, cacheStatus: answer.ofReplica ? 'hit; detail=replica' : cacheStatus };
  }

  /** The answer that another replica has made at the newest block. */
  async #ofOthers(shared: SharedAnswers, question: Question): Promise<Answer | undefined> {
    const block = this.#options.head();
    if (block === undefined || !question.read.readsSources) return undefined;
    const answer = await shared.find(block, sharedKey(question));
    if (answer) this.#cache.keep(question.key, block, answer);
    return answer;
  }

  /** Executes a read. `keep` says that its answer may be sent to others who ask the same. */
  #run(question: Question, context: Context, { keep = false } = {}): Promise<Answer | Left> {
    const { read, key, variables } = question;
    const startedAt = performance.now();
    return withSpan(operationSpan('query', read.fields), async () => {
      try {
        const executed = read.plan(variables).execute(context, variables);
        const data = executed instanceof Promise ? await executed : executed;
        const { usesCaller: anonymousOnly, complete, newestBlock } = context.loaders;
        const answer: Answer = { ...bodyOf(JSON.stringify({ data })), anonymousOnly, complete, newestBlock };
        const block = read.readsSources ? context.loaders.reads.block?.hash : 'any';
        if (keep && block !== undefined) {
          this.#cache.keep(key, block, answer);
          if (block !== 'any') this.#options.shared?.keep(block, sharedKey(question), answer);
        }
        const seconds = (performance.now() - startedAt) / 1000;
        this.#options.operationEnded({ kind: 'query', outcome: 'ok', seconds });
        return answer;
      } catch {
        // Also for a bug in a resolver: graphql-js runs into it again, and reports where.
        return { reads: read.readsSources ? context.loaders.reads : undefined };
      }
    });
  }
}

/** The key by the document itself: its number is this process's own. */
const sharedKey = ({ read: { number, document }, key }: Question) =>
  document + key.slice(String(number).length);

const isOwn = (read: PreparedRead, caller: Caller) => read.selectsOwn && caller.kind === 'issuer';
