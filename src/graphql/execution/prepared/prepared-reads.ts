import type { EventEmitter } from 'node:events';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../../access/caller.ts';
import type { CallerHeaders } from '../../../access/request-credentials.ts';
import type { CatalogRequest } from '../../../catalog/catalog.ts';
import type { Subgraph } from '../../../clients/subgraph/subgraph.ts';
import type { OperationParams } from '../../../lib/operation-params.ts';
import { ShortLivedMap } from '../../../lib/short-lived-map.ts';
import { publish } from '../../../observability/telemetry.ts';
import { withSpan } from '../../../observability/trace.ts';
import { type Context, type Contexts, everyCaller } from '../context.ts';
import { type ExecutorOptions, operationSpan } from '../executor.ts';
import { measuredFrom, tooLong } from '../limits/answer-limit.ts';
import { type Answer, bodyOf, ResponseCache } from '../response-cache.ts';
import type { SharedAnswers } from '../shared-answers.ts';
import { type PreparedRead, prepareRead } from './prepare.ts';
import { SharedReads } from './shared-reads.ts';

/** Characters of all documents that are kept prepared. A prepared read takes some hundred bytes for each. */
const maxCharacters = 1_000_000;

export interface PreparedReadsOptions extends ExecutorOptions {
  contexts: Contexts;
  subgraph: Pick<Subgraph, 'head' | 'snapshotKey'>;
  /** Absent: this replica reads everything itself. */
  sharedAnswers: SharedAnswers | undefined;
}

/** A caller's request for a prepared read, with its variables. */
export interface CallerRead {
  read: PreparedRead;
  /** The languages and the text of the request. */
  key: string;
  variables: Record<string, unknown>;
  caller: Caller;
  headers: CallerHeaders;
}

/** Where an answer came from, as the header Cache-Status says it (RFC 9211). */
export type CacheStatus = 'hit' | 'hit; detail=replica' | 'fwd=miss' | 'fwd=miss; collapsed';

/** The result of executing a prepared read. */
export interface Executed {
  cacheStatus: CacheStatus;
  /** Absent: the GraphQL server has to execute the query. */
  answer?: Answer;
  /** What was read so far, for the GraphQL server. */
  reads?: CatalogRequest;
}

/** A running execution with its reads. */
interface Execution {
  /** Undefined when the execution was cancelled. */
  result: Promise<Executed | undefined>;
  shared: SharedReads;
}

/**
 * Executes queries of public records by their plans. The GraphQL server executes a new document once; from then on it
 * is prepared here. Callers with the same query at the same time share one execution, whose answer stays in the
 * response cache until the next block.
 */
export class PreparedReads {
  readonly #options: PreparedReadsOptions;
  readonly #cache: ResponseCache;
  /** Keyed by the state of the subgraph and the read. */
  readonly #running = new ShortLivedMap<Execution>();
  /** Keyed by document, then by operation name. */
  readonly #prepared = new LRUCache<string, Map<string | null, PreparedRead>>({
    maxSize: maxCharacters,
    sizeCalculation: (reads, text) => reads.size * text.length,
  });

  constructor(options: PreparedReadsOptions) {
    this.#options = options;
    this.#cache = new ResponseCache(() => options.subgraph.head()?.hash);
  }

  /** Prepares each document that the GraphQL server has found valid and executes. */
  get plugin(): Plugin<Context> {
    return {
      onExecute: ({ args: { schema, document, operationName, contextValue } }) => {
        const { params } = contextValue as Context & { params?: Partial<OperationParams> };
        if (!params?.query) return;
        if (this.find(params.query, operationName)) return;
        const read = prepareRead(schema, document, operationName);
        const others = this.#prepared.get(params.query) ?? [];
        if (read) this.#prepared.set(params.query, new Map([...others, [operationName ?? null, read]]));
      },
    };
  }

  /** The prepared read of a document; undefined when the GraphQL server has to execute it. */
  find(query: string, operationName: string | null | undefined): PreparedRead | undefined {
    return this.#prepared.get(query)?.get(operationName ?? null);
  }

  /** The cached answer for this caller, if it is still current. */
  cached(request: Pick<CallerRead, 'read' | 'key' | 'caller'>): Answer | undefined {
    const answer = isPrivate(request) ? undefined : this.#cache.find(cacheKey(request));
    publish('cache', { cache: 'answers', hit: answer !== undefined });
    return answer;
  }

  /**
   * Executes a read, or joins an execution that began at the same state of the subgraph, so that a request after a
   * new block or a webhook never gets what was read before it. An issuer whose answer may differ executes alone. The
   * caller has left when `end` emits `close`. Undefined when all callers have left, or at the deadline.
   */
  async execute(callerRead: CallerRead, end: EventEmitter): Promise<Executed | undefined> {
    const alone = isPrivate(callerRead);
    // Unambiguous: a state is one hash, or "after" and a number.
    const name = `${this.#options.subgraph.snapshotKey()} ${cacheKey(callerRead)}`;
    const joined = alone ? undefined : this.#running.get(name);
    const { result, shared } = joined ?? this.#begin(callerRead, alone ? undefined : name);
    end.once('close', shared.enter());
    const executed = await result;
    const isCollapsed = joined && executed?.cacheStatus === 'fwd=miss';
    return isCollapsed ? { ...executed, cacheStatus: 'fwd=miss; collapsed' } : executed;
  }

  /** Starts an execution. Other callers join it by its name; a private one has none. */
  #begin(callerRead: CallerRead, name: string | undefined): Execution {
    const { sharedAnswers } = this.#options;
    const shared = this.#sharedReads(callerRead.read);
    // Decide now: another execution may set `usesCaller` before this one runs.
    const caller = callerRead.read.usesCaller ? callerRead.caller : everyCaller;
    const run = () => this.#run(callerRead, shared, caller);
    if (name === undefined) return { result: shared.run(run), shared };
    const result = shared.run(
      sharedAnswers ? async () => (await this.#ofReplica(sharedAnswers, callerRead)) ?? run() : run,
    );
    const execution = { result, shared };
    this.#running.set(name, execution);
    const end = () => this.#running.delete(name, execution);
    result.then(end, end);
    return execution;
  }

  #sharedReads(read: PreparedRead): SharedReads {
    if (read.begun) return read.begun;
    const { contexts, timeoutMs } = this.#options;
    const shared = new SharedReads(contexts.reads, timeoutMs);
    if (!read.readsRows) return shared;
    read.begun = shared;
    setImmediate(() => {
      read.begun = undefined;
    });
    return shared;
  }

  /** The answer of another replica at the newest block. */
  async #ofReplica(answers: SharedAnswers, callerRead: CallerRead): Promise<Executed | undefined> {
    const block = this.#options.subgraph.head()?.hash;
    if (block === undefined || !callerRead.read.readsSources) return undefined;
    const key = cacheKey(callerRead);
    const answer = await answers.find(block, key);
    if (answer) this.#cache.keep(key, block, answer);
    return answer && { answer, cacheStatus: 'hit; detail=replica' };
  }

  /** Executes a read for its caller, or for all callers that share it. */
  #run(callerRead: CallerRead, shared: SharedReads, caller: Caller | typeof everyCaller): Promise<Executed> {
    const { read, variables, headers } = callerRead;
    const context = this.#options.contexts.of(caller, headers, shared, shared.reads);
    const startedAt = performance.now();
    return withSpan(operationSpan('query', read.fields), async () => {
      try {
        const executed = read.plan(variables).execute(context, variables);
        const data = executed instanceof Promise ? await executed : executed;
        const { usesCaller, complete, newestBlock } = context.loaders;
        read.usesCaller ||= usesCaller;
        if (usesCaller && caller === everyCaller) throw new Error('issuers may get another answer');
        // The GraphQL server measures it again and refuses it.
        if (shared.reads.documents.bytes >= measuredFrom && tooLong(data))
          throw new Error('the answer is too long');
        const answer: Answer = { ...bodyOf(JSON.stringify({ data })), complete, newestBlock };
        this.#keep(callerRead, answer, shared.reads.block?.hash);
        const seconds = (performance.now() - startedAt) / 1000;
        publish('operation', { kind: 'query', outcome: 'ok', seconds });
        return { answer, cacheStatus: 'fwd=miss' };
      } catch {
        // Also after a bug in a resolver: graphql-js meets it again, and reports its path.
        return { reads: shared.reads, cacheStatus: 'fwd=miss' };
      }
    });
  }

  /** Caches a complete answer that others may get too, here and for other replicas. */
  #keep(callerRead: CallerRead, answer: Answer, block: string | undefined): void {
    if (!answer.complete || isPrivate(callerRead)) return;
    const at = callerRead.read.readsSources ? block : 'any';
    if (at === undefined) return;
    const key = cacheKey(callerRead);
    this.#cache.keep(key, at, answer);
    if (at !== 'any') this.#options.sharedAnswers?.keep(at, key, answer);
  }
}

/**
 * The key of an answer, with its scope: whoever prepares the document anew, here or in another replica,
 * does not know yet whether the answer depends on its caller.
 */
const cacheKey = ({ read, key }: Pick<CallerRead, 'read' | 'key'>) =>
  `${read.usesCaller ? 'anonymous' : 'all'} ${key}`;

/** Whether the answer is for this caller alone. Anonymous callers share theirs. */
const isPrivate = ({ read, caller }: Pick<CallerRead, 'read' | 'caller'>) =>
  read.usesCaller && caller.kind === 'issuer';
