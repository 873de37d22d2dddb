import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  parse,
  Source,
  validate,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { QueryLimits } from '../../../config/config.ts';
import { asRequestFault } from '../mask-error.ts';
import type { PendingContext } from '../pending-answer.ts';
import { AffordableShapes } from './affordable-shapes.ts';
import { operationCost } from './cost.ts';
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
): Plugin<object, PendingContext> {
  // Yoga returns the same document for the same text.
  const breaches = new WeakMap<DocumentNode, { breach: GraphQLError | undefined }>();
  const known = (document: DocumentNode) => {
    const found = breaches.get(document) ?? { breach: documentBreach(document, limits) };
    breaches.set(document, found);
    return found.breach;
  };
  const affordable = new AffordableShapes(schema);
  const costly = ({ schema, document, operationName, variableValues }: ExecutionArgs) => {
    const variables = variableValues ?? {};
    const shape = affordable.shapeOf(document, operationName, variables);
    if (affordable.has(shape)) return undefined;
    let cost: number | undefined;
    try {
      cost = operationCost(schema, document, operationName, variables);
    } catch (error) {
      // If it were executed, only the field with the bad argument would fail, and the rest would escape the
      // limit.
      return asRequestFault(error);
    }
    if (cost === undefined) return undefined;
    if (cost <= limits.cost) return affordable.add(shape);
    const what = `The answer may have ${cost} fields, with every list as long as it was asked for`;
    return limitExceeded('cost', limits.cost, cost, what);
  };
  return {
    onRequestParse: ({ serverContext }) => ({
      onRequestParseDone({ requestParserResult: asked }) {
        if (!Array.isArray(asked)) return;
        // The response cache holds responses to single operations only.
        serverContext.pending?.forbid();
        if (asked.length <= limits.batch) return;
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
    if (!(error instanceof GraphQLError) || !error.message.includes('tokens. Parsing aborted')) throw error;
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
