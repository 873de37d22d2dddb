import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  parse,
  Source,
  validate,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { QueryLimits } from '../../../config/config.ts';
import { asRequestFault, withCode } from '../mask-error.ts';
import { costOf } from './cost.ts';
import { limitExceeded } from './limit-error.ts';
import { documentBreach } from './measure.ts';

/**
 * Refuses expensive operations before they cost anything: by tokens before parsing, by structure before
 * validation, by cost before execution. Applies over HTTP and WebSocket.
 */
export function queryLimits(
  schema: GraphQLSchema,
  limits: QueryLimits,
  options: { introspection: boolean },
): Plugin {
  // Yoga returns the same document for the same text.
  const breaches = new WeakMap<DocumentNode, { breach: GraphQLError | undefined }>();
  const known = (document: DocumentNode) => {
    const found = breaches.get(document) ?? { breach: documentBreach(document, limits) };
    breaches.set(document, found);
    return found.breach;
  };
  const costs = new WeakMap<OperationDefinitionNode, ReturnType<typeof costOf>>();
  const costly = ({ document, operationName, variableValues }: ExecutionArgs) => {
    const operation = getOperationAST(document, operationName);
    if (!operation) return undefined;
    const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {});
    // Execution refuses bad variables, with a better message.
    if (!coerced) return undefined;
    const count = costs.get(operation) ?? costOf(schema, document, operation);
    costs.set(operation, count);
    try {
      return costBreach(count(coerced), limits);
    } catch (error) {
      // If it were executed, only the field with the bad argument would fail, and the rest would escape the
      // limit.
      return asRequestFault(error);
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
        const breach = known(result as DocumentNode);
        if (breach) replaceParseResult(breach);
      };
    },
    onValidate({ addValidationRule, setValidationFn }) {
      if (options.introspection) return;
      addValidationRule(NoSchemaIntrospectionCustomRule);
      setValidationFn((schema, document, rules) =>
        validate(schema, document, rules, { hideSuggestions: true }),
      );
    },
    onExecute({ args, setResultAndStopExecution }) {
      const error = costly(args);
      if (error) setResultAndStopExecution({ errors: [error] });
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const error = costly(args);
      if (error) setResultAndStopExecution({ errors: [error] });
    },
  };
}

/** The error for an operation that costs too much; undefined within the limit. */
export function costBreach(cost: number, limits: QueryLimits): GraphQLError | undefined {
  if (cost <= limits.cost) return undefined;
  const what = `The answer may have ${cost} fields, with every list as long as it was asked for`;
  return limitExceeded('cost', limits.cost, cost, what);
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
