/**
 * A query that cannot be answered. The texts are graph-node's own, because clients tell errors apart by them.
 * They contain only what the client sent or may know.
 */
export class QueryError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'QueryError';
  }
}

export const queryErrors = {
  range: (argument: string, max: number, actual: number) =>
    new QueryError(`The \`${argument}\` argument must be between 0 and ${max}, but is ${actual}`),

  blockNotYetIndexed: (argument: string, deployment: string, head: number, wanted: number) =>
    new QueryError(
      `Failed to decode \`block.${argument}\` value: \`subgraph ${deployment} has only indexed up to block number ` +
        `${head} and data for block number ${wanted} is therefore not yet available\``,
    ),

  blockPruned: (deployment: string, earliest: number, wanted: number) =>
    new QueryError(
      `Failed to decode \`block.number\` value: \`subgraph ${deployment} only has data starting at block number ` +
        `${earliest} and data for block number ${wanted} is therefore not available\``,
    ),

  unknownBlockHash: () =>
    new QueryError('Failed to decode `block.hash` value: `no block with that hash found`'),

  orderNotSupported: (entity: string, field: string) =>
    new QueryError(`Ordering by \`${field}\` is not supported for type \`${entity}\``),

  nestingNotSupported: (field: string, nested: string) =>
    new QueryError(`Child filter nesting not supported by value \`${field}\`: \`${nested}\``),

  mixedOr: (columns: readonly string[]) => {
    const list = columns.map((column) => `'${column}'`).join(', ');
    return new QueryError(
      `Cannot mix column filters with 'or' operator at the same level. Found column filter(s) ${list} alongside ` +
        `'or' operator.\n\nInstead of:\nwhere: { ${list}, or: [...] }\n\nUse:\nwhere: { or: [{ ${list}, ... }, ` +
        `{ ${list}, ... }] }`,
    );
  },

  invalidFilter: () => new QueryError('Filter must by an object'),

  invalidValue: (type: string, value: string) =>
    new QueryError(`Query contains value with invalid type \`${type}\`: \`${value}\``),

  noList: (operator: string) => new QueryError(`Non-list value passed to \`_${operator}\` filter`),

  /** Of a null, where only a value can be compared. */
  unsupportedFilter: (operator: string) =>
    new QueryError(`Store error: unsupported filter \`${operator}\` for value \`null\``),

  badValue: (type: string, why: string) => new QueryError(`Failed to decode \`${type}\` value: \`${why}\``),

  reorganised: () => new QueryError('the chain was reorganized while executing the query'),

  timeout: () => new QueryError('Query timed out'),

  overloaded: () =>
    new QueryError(
      'service is overloaded and can not run the query right now. Please try again in a few minutes',
    ),

  store: () => new QueryError('Store error: the query could not be run'),

  indexing: () => new QueryError('indexing_error'),
};
