import { type ErrorCode, UpstreamError } from '../../model/errors.ts';

/** What an error of the subgraph, or a missing answer, means. */
export type SubgraphErrorKind =
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'RATE_LIMITED'
  | 'OVERLOADED'
  | 'QUERY_TIMEOUT'
  | 'REORGANISED'
  | 'BLOCK_NOT_YET'
  | 'BLOCK_PRUNED'
  | 'BLOCK_UNKNOWN'
  | 'INDEXING_ERROR'
  | 'NO_INDEXER'
  | 'NOT_DEPLOYED'
  | 'UNAUTHORISED'
  | 'OTHER_SCHEMA'
  | 'BAD_QUERY'
  | 'BAD_ANSWER'
  | 'UNKNOWN';

/**
 * What to do after a failure. `none`: give up, because every endpoint would answer the same. Otherwise ask the next
 * endpoint. When all have failed: `failover` asks this one again after a pause, `wait-for-block` until it has the
 * block, and `failover-once` does not.
 */
export type RetryPolicy = 'failover' | 'wait-for-block' | 'failover-once' | 'none';

interface Meaning {
  retryPolicy: RetryPolicy;
  code: ErrorCode;
  message: string;
  /** The endpoint itself is unhealthy: the failure counts towards opening its breaker. */
  unhealthy?: true;
}

const down = 'The chain’s part of the record is missing until it is back; try again later.';

const meanings: Record<SubgraphErrorKind, Meaning> = {
  UNREACHABLE: {
    retryPolicy: 'failover',
    code: 'UPSTREAM_UNAVAILABLE',
    message: `The subgraph cannot be reached. ${down}`,
    unhealthy: true,
  },
  TIMEOUT: {
    retryPolicy: 'failover',
    code: 'UPSTREAM_TIMEOUT',
    message: `The subgraph did not answer in time. ${down}`,
    unhealthy: true,
  },
  RATE_LIMITED: {
    retryPolicy: 'failover',
    code: 'RATE_LIMITED',
    message: 'The subgraph asks for fewer queries. Slow down and try again later.',
  },
  OVERLOADED: {
    retryPolicy: 'failover',
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'The subgraph is overloaded. Try again in a few minutes.',
  },
  QUERY_TIMEOUT: {
    retryPolicy: 'failover-once',
    code: 'UPSTREAM_TIMEOUT',
    message: 'The subgraph gave this query up as too slow. Ask for less at once.',
  },
  REORGANISED: {
    retryPolicy: 'failover',
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'The chain kept being reorganised during the query. Try again.',
  },
  BLOCK_NOT_YET: {
    retryPolicy: 'wait-for-block',
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'The subgraph has not reached this block yet. Try again in a few seconds.',
  },
  BLOCK_PRUNED: {
    retryPolicy: 'failover-once',
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'The subgraph no longer keeps this block. Start over from the first page.',
  },
  BLOCK_UNKNOWN: {
    retryPolicy: 'failover-once',
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'The subgraph does not know this block; the chain may have been reorganised. Start over.',
  },
  INDEXING_ERROR: {
    retryPolicy: 'failover-once',
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'The subgraph stopped at an indexing error. Its operator has to repair it.',
  },
  NO_INDEXER: {
    retryPolicy: 'failover',
    code: 'UPSTREAM_UNAVAILABLE',
    message: `No indexer answers for the subgraph at the moment. ${down}`,
  },
  NOT_DEPLOYED: {
    retryPolicy: 'failover-once',
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'There is no such subgraph at its address. Check SUBGRAPH_URL.',
  },
  UNAUTHORISED: {
    retryPolicy: 'failover-once',
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'The subgraph refuses the gateway’s key. Check SUBGRAPH_API_KEY.',
  },
  OTHER_SCHEMA: {
    retryPolicy: 'failover-once',
    code: 'UPSTREAM_BAD_RESPONSE',
    message:
      'The subgraph lacks fields that this query cannot do without; its schema differs. Report it to the operator.',
  },
  BAD_QUERY: {
    retryPolicy: 'none',
    code: 'UPSTREAM_BAD_RESPONSE',
    message: 'The subgraph refuses the query. Report it to the operator.',
  },
  BAD_ANSWER: {
    retryPolicy: 'failover-once',
    code: 'UPSTREAM_BAD_RESPONSE',
    message: 'The subgraph answered in a form that is not understood. Report it to the operator.',
    unhealthy: true,
  },
  UNKNOWN: {
    retryPolicy: 'failover-once',
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'The subgraph failed. See the upstream message for the reason.',
  },
};

/** Error texts of the subgraph and of the gateway in front of it. The first match decides. */
const texts: [RegExp, SubgraphErrorKind][] = [
  [/has only indexed up to block number \d+/, 'BLOCK_NOT_YET'],
  [/only has data starting at block number \d+/, 'BLOCK_PRUNED'],
  [/no block with that hash found/, 'BLOCK_UNKNOWN'],
  [/the chain was reorganized while executing the query/, 'REORGANISED'],
  [/^indexing_error$/, 'INDEXING_ERROR'],
  [/Query timed out/i, 'QUERY_TIMEOUT'],
  [/service is overloaded/, 'OVERLOADED'],
  [/deployment `[^`]*` does not exist/, 'NOT_DEPLOYED'],
  // "Unavailable(missing block: N, latest: M)": the indexer lags, it is not down.
  [/^bad indexers: .*missing block: \d+, latest: \d+/s, 'BLOCK_NOT_YET'],
  [/^bad indexers: /, 'NO_INDEXER'],
  [/no indexers found/, 'NO_INDEXER'],
  [/^subgraph not found/, 'NOT_DEPLOYED'],
  [/^auth error/, 'UNAUTHORISED'],
  [/has no field|Unknown (?:type|argument)|Cannot query field|is not defined by type/, 'OTHER_SCHEMA'],
  [/argument must be between|Cannot mix column filters|Invalid value provided/, 'BAD_QUERY'],
];

/**
 * The subgraph gave no usable answer. `kind` says why.
 */
export class SubgraphError extends UpstreamError {
  readonly kind: SubgraphErrorKind;

  constructor(
    kind: SubgraphErrorKind,
    options: {
      said?: string | undefined;
      status?: number;
      retryAfterMs?: number | undefined;
      cause?: unknown;
    } = {},
  ) {
    const { code, message } = meanings[kind];
    const { said, status, retryAfterMs, cause } = options;
    super(
      { code, message, ...(said !== undefined && { upstreamMessage: said }) },
      { upstream: 'SUBGRAPH', maybeProcessed: false, status, retryAfterMs },
      { cause },
    );
    this.kind = kind;
  }

  get retryPolicy(): RetryPolicy {
    return meanings[this.kind].retryPolicy;
  }

  get unhealthy(): boolean {
    return meanings[this.kind].unhealthy === true;
  }
}

/** The error of an answer: the first of its messages that is known, otherwise the first, shown by `hideKeys`. */
export function readErrors(messages: readonly string[], hideKeys: (text: string) => string): SubgraphError {
  // Some servers send errors without a message.
  const read = messages.map((said) => readError(typeof said === 'string' ? hideKeys(said) : said));
  return read.find(({ kind }) => kind !== 'UNKNOWN') ?? read[0] ?? new SubgraphError('UNKNOWN');
}

function readError(said: string): SubgraphError {
  for (const [form, kind] of texts) {
    if (form.test(said)) return new SubgraphError(kind, { said });
  }
  return new SubgraphError('UNKNOWN', { said });
}
