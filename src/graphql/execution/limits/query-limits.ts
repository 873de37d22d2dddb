import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  NoSchemaIntrospectionCustomRule,
  parse,
  Source,
  type ValidationRule,
  validate,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { QueryLimits } from '../../../config/config.ts';
import { asRequestFault, refusal, withCode } from '../mask-error.ts';
import { type Measures, measureDocument } from './measure-document.ts';

/** What plugins are told before an operation is executed or subscribed to. */
interface StartingExecution {
  args: ExecutionArgs;
  setResultAndStopExecution(result: ExecutionResult): void;
}

/**
 * Refuses expensive operations before they cost anything: by tokens before parsing, by structure before
 * validation, by cost before execution. Applies over HTTP and WebSocket.
 */
export function queryLimits(
  schema: GraphQLSchema,
  limits: QueryLimits,
  options: { introspection: boolean },
): Plugin {
  const refuseCostly = ({ args, setResultAndStopExecution }: StartingExecution) => {
    const { document, operationName, variableValues } = args;
    const operation = getOperationAST(document, operationName);
    if (!operation) return;
    const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {});
    // Execution refuses bad variables, with a better message.
    if (!coerced) return;
    const refuse = (error: GraphQLError) => setResultAndStopExecution({ errors: [error] });
    try {
      const cost = measureDocument(schema, document).costOf(operation, coerced);
      if (cost <= limits.cost) return;
      const what = `The answer may have ${cost} fields, with every list as long as it was asked for`;
      refuse(limitExceeded('cost', limits.cost, cost, what));
    } catch (error) {
      // If it were executed, only the field with the bad argument would fail, and the rest would escape the
      // limit.
      refuse(asRequestFault(error));
    }
  };
  return {
    onRequestParse: () => ({
      onRequestParseDone({ requestParserResult: asked }) {
        if (!Array.isArray(asked) || asked.length <= limits.batch) return;
        throw limitExceeded(
          'batch',
          limits.batch,
          asked.length,
          `The request has ${asked.length} operations`,
        );
      },
    }),
    onParse({ setParseFn }) {
      setParseFn((source, given) => parseWithin(source, limits, given));
      return ({ result, replaceParseResult }) => {
        if (result === null || result instanceof Error) return;
        const breach = documentBreach(measureDocument(schema, result as DocumentNode), limits);
        if (breach) replaceParseResult(breach);
      };
    },
    onValidate({ addValidationRule, setValidationFn }) {
      if (options.introspection) return;
      addValidationRule(NoSchemaIntrospectionCustomRule);
      addValidationRule(noSubgraphSchema);
      setValidationFn((schema, document, rules) =>
        validate(schema, document, rules, { hideSuggestions: true }),
      );
    },
    onExecute: refuseCostly,
    onSubscribe: refuseCostly,
  };
}

/** A router's way of introspection (Apollo Federation). */
const noSubgraphSchema: ValidationRule = (context) => ({
  Field(node) {
    if (node.name.value !== '_service' || context.getParentType() !== context.getSchema().getQueryType())
      return;
    const message = 'GraphQL introspection has been disabled, but the query has the field "_service".';
    context.reportError(new GraphQLError(message, { nodes: [node] }));
  },
});

const words = {
  fragments: (n: number) => `The document spreads fragments ${n} times`,
  directives: (n: number) => `The document has ${n} directives`,
  depth: (n: number) => `An operation is nested ${n} levels deep`,
  aliases: (n: number) => `An operation gives ${n} fields another name or asks for them again`,
  rootFields: (n: number) => `An operation asks for ${n} root fields`,
};

/**
 * The error for the first limit that a document exceeds; undefined when there is none. Looked for before
 * validation, whose time grows with the square of repeated fields and of fragments.
 */
function documentBreach(measures: Measures, limits: QueryLimits): GraphQLError | undefined {
  for (const name of ['fragments', 'directives', 'depth', 'aliases', 'rootFields'] as const)
    if (measures[name] > limits[name])
      return limitExceeded(name, limits[name], measures[name], words[name](measures[name]));
  return undefined;
}

/**
 * Parses up to the token limit.
 * @throws GraphQLError LIMIT_EXCEEDED for more tokens, or for nesting that exhausts the stack.
 */
function parseWithin(
  source: string | Source,
  { tokens, depth }: QueryLimits,
  given: object | undefined,
): DocumentNode {
  const { body } = source instanceof Source ? source : { body: source };
  try {
    return parse(source, { ...given, maxTokens: tokens });
  } catch (error) {
    if (error instanceof RangeError) {
      const levels = nesting(body);
      throw limitExceeded('depth', depth, levels, `The document is nested ${levels} levels deep`);
    }
    if (!(error instanceof GraphQLError)) throw error;
    // Yoga adds the code over HTTP only.
    if (!error.message.includes('tokens. Parsing aborted')) throw withCode(error, 'GRAPHQL_PARSE_FAILED');
    const what = `The document, ${body.length} characters long, has more than ${tokens} tokens`;
    throw limitExceeded('tokens', tokens, tokens + 1, what);
  }
}

/** How deep the brackets of a text are nested, wherever they are. */
function nesting(text: string): number {
  let level = 0;
  let deepest = 0;
  for (const [bracket] of text.matchAll(/[{}[\]()]/g)) {
    level += '{[('.includes(bracket) ? 1 : -1;
    deepest = Math.max(deepest, level);
  }
  return deepest;
}

type LimitName = keyof QueryLimits | 'bodyBytes' | 'socketOperations';

/** The variable that sets each limit. The error names it, so that the operator need not search. */
const variables: Record<LimitName, string> = {
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
  limit: LimitName,
  allowed: number,
  measured: number,
  what: string,
  status = 400,
): GraphQLError {
  return new GraphQLError(`${what}; this gateway allows ${allowed} (${variables[limit]}).`, {
    extensions: { code: 'LIMIT_EXCEEDED', limit, allowed, measured, http: { status } },
  });
}

/**
 * A request without credentials is a read and needs no room for records or files. It is refused by its
 * Content-Length, before its body takes any memory, so it has to send one.
 */
export function anonymousBody(maxBytes: number): Plugin {
  return {
    onRequestParse({ request: { headers, method } }) {
      if (method !== 'POST' || headers.has('authorization') || headers.has('commerce-api-key')) return;
      const length = headers.get('content-length');
      if (length === null && headers.has('transfer-encoding')) throw lengthRequired(maxBytes);
      if (Number(length ?? 0) <= maxBytes) return;
      const what = `Without credentials, the body has ${Number(length)} bytes`;
      throw limitExceeded('bodyBytes', maxBytes, Number(length), what, 413);
    },
  };
}

const lengthRequired = (maxBytes: number) =>
  refusal(
    'LENGTH_REQUIRED',
    `Send a Content-Length: without credentials a body may have ${maxBytes} bytes at most (ANONYMOUS_BODY_MAX_BYTES).`,
    411,
  );
