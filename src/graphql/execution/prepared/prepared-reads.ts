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
import { type Context, type Contexts, everybody } from '../context.ts';
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

/** A prepared read with its variables, asked by a caller. */
export interface Question {
  read: PreparedRead;
  /** Equal for requests that ask for the same, in the same languages. */
  key: string;
  variables: Record<string, unknown>;
  caller: Caller;
  headers: CallerHeaders;
}

/** How an answer came about, in the words of the header Cache-Status (RFC 9211). */
export type CacheStatus = 'hit' | 'hit; detail=replica' | 'fwd=miss' | 'fwd=miss; collapsed';

/** What came of a question. */
export interface Executed {
  cacheStatus: CacheStatus;
  /** Absent: the GraphQL server has to execute it. */
  answer?: Answer;
  /** What was read, for the GraphQL server. */
  reads?: CatalogRequest;
}

/** An execution, and what it reads. */
interface Execution {
  /** Undefined when it was cancelled. */
  result: Promise<Executed | undefined>;
  shared: SharedReads;
}

/**
 * Queries of public records that were asked before, executed by their plans. The first time a document is
 * seen the GraphQL server executes it, and from then on it is prepared here. Everybody who asks the same at
 * the same time shares one execution, and its answer stays in the response cache until the next block.
 */
export class PreparedReads {
  readonly #options: PreparedReadsOptions;
  readonly #cache: ResponseCache;
  /** By the state of the subgraph and the question. */
  readonly #running = new ShortLivedMap<Execution>();
  /** What began in this turn of the event loop, by document. Nothing of it is asked before the next one. */
  readonly #begun = new ShortLivedMap<SharedReads>();
  /** By document, and there by operation name. */
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

  /** The prepared read of a document; undefined when it is to be executed by the GraphQL server. */
  find(query: string, operationName: string | null | undefined): PreparedRead | undefined {
    return this.#prepared.get(query)?.get(operationName ?? null);
  }

  /** An answer that was given before and is still true, for this caller. */
  cached({ read, key, caller }: Pick<Question, 'read' | 'key' | 'caller'>): Answer | undefined {
    const answer = isOwn(read, caller) ? undefined : this.#cache.find(key);
    publish('cache', { cache: 'answers', hit: answer !== undefined });
    return answer;
  }

  /**
   * Executes a read, or joins an execution that began at the same state of the subgraph: nobody who asks after
   * a new block or a webhook gets what was read before it. An issuer whose answer may differ executes alone.
   * The caller has left when `end` emits `close`. Undefined when all have left, or the time is over.
   */
  async execute(question: Question, end: EventEmitter): Promise<Executed | undefined> {
    const alone = isOwn(question.read, question.caller);
    // Unambiguous: a state is one hash, or "after" and a number.
    const name = `${this.#options.subgraph.snapshotKey()} ${question.key}`;
    const joined = alone ? undefined : this.#running.get(name);
    const { result, shared } = joined ?? this.#begin(question, alone ? undefined : name);
    end.once('close', shared.enter());
    const executed = await result;
    const isCollapsed = joined && executed?.cacheStatus === 'fwd=miss';
    return isCollapsed ? { ...executed, cacheStatus: 'fwd=miss; collapsed' } : executed;
  }

  /** Begins an execution. Others may join it by its name, unless it is for its caller alone. */
  #begin(question: Question, name: string | undefined): Execution {
    const { sharedAnswers } = this.#options;
    const shared = this.#sharedReads(question.read);
    // Decided now: another execution may set `usesCaller` before this one runs.
    const caller = question.read.usesCaller ? question.caller : everybody;
    const run = () => this.#run(question, shared, caller);
    if (name === undefined) return { result: shared.run(run), shared };
    const result = shared.run(
      sharedAnswers ? async () => (await this.#ofReplica(sharedAnswers, question)) ?? run() : run,
    );
    const execution = { result, shared };
    this.#running.set(name, execution);
    const end = () => this.#running.delete(name, execution);
    result.then(end, end);
    return execution;
  }

  #sharedReads({ number, readsRows }: PreparedRead): SharedReads {
    const name = String(number);
    const begun = this.#begun.get(name);
    if (begun) return begun;
    const { contexts, timeoutMs } = this.#options;
    const shared = new SharedReads(contexts.reads, timeoutMs);
    if (!readsRows) return shared;
    this.#begun.set(name, shared);
    setImmediate(() => this.#begun.delete(name, shared));
    return shared;
  }

  /** The answer that another replica has made at the newest block. */
  async #ofReplica(answers: SharedAnswers, question: Question): Promise<Executed | undefined> {
    const block = this.#options.subgraph.head()?.hash;
    if (block === undefined || !question.read.readsSources) return undefined;
    const answer = await answers.find(block, sharedKey(question));
    if (answer) this.#cache.keep(question.key, block, answer);
    return answer && { answer, cacheStatus: 'hit; detail=replica' };
  }

  /** Executes a read for its caller, or for all who ask the same. */
  #run(question: Question, shared: SharedReads, caller: Caller | typeof everybody): Promise<Executed> {
    const { read, variables, headers } = question;
    const context = this.#options.contexts.of(caller, headers, shared, shared.reads);
    const startedAt = performance.now();
    return withSpan(operationSpan('query', read.fields), async () => {
      try {
        const executed = read.plan(variables).execute(context, variables);
        const data = executed instanceof Promise ? await executed : executed;
        const { usesCaller, complete, newestBlock } = context.loaders;
        read.usesCaller ||= usesCaller;
        if (usesCaller && caller === everybody) throw new Error('issuers may get another answer');
        // The GraphQL server measures again, and refuses it.
        if (shared.reads.documents.bytes >= measuredFrom && tooLong(data))
          throw new Error('the answer is too long');
        const answer: Answer = { ...bodyOf(JSON.stringify({ data })), complete, newestBlock };
        this.#keep(question, answer, shared.reads.block?.hash);
        const seconds = (performance.now() - startedAt) / 1000;
        this.#options.operationEnded({ kind: 'query', outcome: 'ok', seconds });
        return { answer, cacheStatus: 'fwd=miss' };
      } catch {
        // Also for a bug in a resolver: graphql-js runs into it again, and reports where.
        return { reads: shared.reads, cacheStatus: 'fwd=miss' };
      }
    });
  }

  /** Keeps a complete answer that others may get too, here and for other replicas. */
  #keep(question: Question, answer: Answer, block: string | undefined): void {
    const { read, key, caller } = question;
    if (!answer.complete || isOwn(read, caller)) return;
    const at = read.readsSources ? block : 'any';
    if (at === undefined) return;
    this.#cache.keep(key, at, answer);
    if (at !== 'any') this.#options.sharedAnswers?.keep(at, sharedKey(question), answer);
  }
}

/** The key by the document itself: its number is this process's own. */
const sharedKey = ({ read: { number, document, usesCaller }, key }: Question) =>
  `${usesCaller ? 'anonymous' : 'all'} ${document}${key.slice(String(number).length)}`;

/** Whether the answer is for this caller alone. Anonymous callers share theirs. */
const isOwn = (read: PreparedRead, caller: Caller) => read.usesCaller && caller.kind === 'issuer';
