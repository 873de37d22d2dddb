import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  NoSchemaIntrospectionCustomRule,
  parse,
  type ValidationRule,
  validate,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { QueryLimits } from '../../../config/config.ts';
import { refusal, withCode } from '../mask-error.ts';
import { operationOf, rootSelections } from '../operation.ts';
import { type Measures, measureDocument } from './measure-document.ts';

export interface QueryLimitsOptions {
  queryLimits: QueryLimits;
  /** The longest body without credentials. */
  maxAnonymousBodyBytes: number;
  introspection: boolean;
}

/**
 * Refuses expensive operations early, over HTTP and WebSocket: by token count before parsing, by structure before
 * validation.
 */
export function queryLimits(
  schema: GraphQLSchema,
  { queryLimits: limits, maxAnonymousBodyBytes, introspection }: QueryLimitsOptions,
): Plugin {
  const batches = new WeakSet<Request>();
  return {
    onRequestParse({ request }) {
      assertAnonymousBody(request, maxAnonymousBodyBytes);
      return {
        onRequestParseDone({ requestParserResult: asked }) {
          const { length } = Array.isArray(asked) ? asked : [asked];
          if (Array.isArray(asked)) batches.add(request);
          if (length > limits.batch)
            throw limitExceeded('batch', limits.batch, length, `The request has ${length} operations`);
        },
      };
    },
    onParse({ setParseFn }) {
      setParseFn((source) => {
        try {
          const document = parse(source, { maxTokens: limits.tokens });
          assertWithin(measureDocument(schema, document), limits);
          return document;
        } catch (error) {
          throw parseFailure(error, limits);
        }
      });
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const { request } = args.contextValue as { request?: Request };
      // A batch has one response that ends, but nothing would end the subscription.
      if (request && batches.has(request)) setResultAndStopExecution({ errors: [notInBatch()] });
    },
    onValidate({ params: { documentAST }, addValidationRule, setValidationFn, setResult }) {
      const conditional = conditionalSubscriptions(schema, documentAST);
      if (conditional.length > 0) setResult(conditional);
      if (introspection) return;
      addValidationRule(NoSchemaIntrospectionCustomRule);
      addValidationRule(noSubgraphSchema);
      setValidationFn((schema, document, rules) =>
        validate(schema, document, rules, { hideSuggestions: true }),
      );
    },
  };
}

/** `_service` is how a router introspects a subgraph (Apollo Federation). */
const noSubgraphSchema: ValidationRule = (context) => ({
  Field(node) {
    if (node.name.value !== '_service') return;
    const message = 'GraphQL introspection has been disabled, but the query has the field "_service".';
    context.reportError(new GraphQLError(message, { nodes: [node] }));
  },
});

/**
 * The errors for subscriptions whose field has a directive: the only ones are @skip and @include. Without its field a
 * subscription has no events, and graphql-js throws. The rule of graphql-js only counts fields, and treats every
 * variable as missing.
 */
function conditionalSubscriptions(schema: GraphQLSchema, document: DocumentNode): GraphQLError[] {
  const selections = document.definitions.flatMap((one) =>
    one.kind === Kind.OPERATION_DEFINITION && one.operation === 'subscription'
      ? [...rootSelections(operationOf(schema, document, one))]
      : [],
  );
  return selections
    .flatMap(({ directives = [] }) => directives)
    .map((node) => {
      const message = `The field of a subscription cannot have a directive. Remove @${node.name.value}.`;
      return new GraphQLError(message, { nodes: [node] });
    });
}

const notInBatch = () =>
  refusal('INVALID_INPUT', 'A subscription cannot be part of a batch. Send it in a request of its own.', 400);

const words = {
  fragments: (n: number) => `The document spreads fragments ${n} times`,
  directives: (n: number) => `The document has ${n} directives`,
  depth: (n: number) => `An operation is nested ${n} levels deep`,
  aliases: (n: number) => `An operation aliases or repeats ${n} fields`,
  rootFields: (n: number) => `An operation selects ${n} root fields`,
};

/**
 * Before validation, whose time grows with the square of repeated fields and of fragments.
 * @throws GraphQLError LIMIT_EXCEEDED for the first limit that a document exceeds.
 */
function assertWithin(measures: Measures, limits: QueryLimits): void {
  for (const name of ['fragments', 'directives', 'depth', 'aliases', 'rootFields'] as const)
    if (measures[name] > limits[name])
      throw limitExceeded(name, limits[name], measures[name], words[name](measures[name]));
}

/** Makes LIMIT_EXCEEDED of too many tokens, and of nesting that exhausts the parser's stack. */
function parseFailure(cause: unknown, { tokens, depth }: QueryLimits): unknown {
  let error = cause;
  if (cause instanceof RangeError)
    error = limitExceeded('depth', depth, depth + 1, 'The document is nested too deeply to be parsed');
  else if (cause instanceof GraphQLError && cause.message.includes('tokens. Parsing aborted'))
    error = limitExceeded('tokens', tokens, tokens + 1, `The document has more than ${tokens} tokens`);
  // Yoga adds code and status over HTTP only, but caches the error for all transports.
  if (error instanceof GraphQLError)
    withCode(error, 'GRAPHQL_PARSE_FAILED').extensions.http = { spec: true, status: 400 };
  return error;
}

/** The environment variable of each limit, which the error names for the operator. */
const variables = {
  tokens: 'MAX_TOKENS',
  depth: 'MAX_DEPTH',
  aliases: 'MAX_ALIASES',
  directives: 'MAX_DIRECTIVES',
  fragments: 'MAX_FRAGMENTS',
  rootFields: 'MAX_ROOT_FIELDS',
  cost: 'MAX_COST',
  batch: 'MAX_BATCH',
  bodyBytes: 'ANONYMOUS_BODY_MAX_BYTES',
  socketOperations: 'MAX_SOCKET_OPERATIONS',
};

/** The error for a request beyond a limit. It has the limit's name, its value, and what was measured. */
export function limitExceeded(
  limit: keyof typeof variables,
  allowed: number,
  measured: number,
  what: string,
  status = 400,
  variable = variables[limit],
): GraphQLError {
  return new GraphQLError(`${what}; this gateway allows ${allowed} (${variable}).`, {
    extensions: { code: 'LIMIT_EXCEEDED', limit, allowed, measured, http: { status } },
  });
}

/**
 * Limits the body of a request without credentials, which can only read and needs no records or files. It must send a
 * Content-Length, so that it can be refused before its body takes any memory.
 */
function assertAnonymousBody({ headers, method }: Request, maxBytes: number): void {
  if (method !== 'POST' || headers.has('authorization') || headers.has('commerce-api-key')) return;
  const length = headers.get('content-length');
  if (length === null && headers.has('transfer-encoding')) {
    const required = `Send a Content-Length: without credentials a body may have ${maxBytes} bytes at most (ANONYMOUS_BODY_MAX_BYTES).`;
    throw refusal('LENGTH_REQUIRED', required, 411);
  }
  if (Number(length ?? 0) <= maxBytes) return;
  const what = `Without credentials, the body has ${Number(length)} bytes`;
  throw limitExceeded('bodyBytes', maxBytes, Number(length), what, 413);
}
