import {
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { ChargeCost } from '../../../access/caller-budget.ts';
import type { RateState } from '../../../access/rate-limiter.ts';
import type { QueryLimits } from '../../../config/config.ts';
import type { Context, ServerContext } from '../context.ts';
import { errorsOfLongVariables } from '../input-paths.ts';
import { withCode } from '../mask-error.ts';
import { measureDocument, type Variables } from './measure-document.ts';
import { limitExceeded } from './query-limits.ts';

export interface CostLimitsOptions {
  queryLimits: QueryLimits;
  /** Takes the cost of an operation from its caller's budget. Absent: callers have no budget. */
  chargeCost?: ChargeCost | undefined;
}

/** With the value `report` it asks for `extensions.cost`. */
export const costHeader = 'graphql-cost';

/**
 * Refuses operations that cost too much before they are executed: more than any operation may (MAX_COST), or more
 * than is left to the caller (COST_LIMIT). Each refusal says which length of lists would fit.
 */
export function costLimits({ queryLimits: { cost: allowed }, chargeCost }: CostLimitsOptions): Plugin {
  /** Takes the cost from the caller's budget. Throws if the operation, or one of its arguments, is refused. */
  const charge = (operation: OperationDefinitionNode, variables: Variables, args: ExecutionArgs) => {
    const { source, caller, charged } = args.contextValue as Context & ServerContext;
    const measures = measureDocument(args.schema, args.document);
    const cost = measures.costOf(operation, variables);
    const longestFitting = (most: number) => measures.longestLists(operation, variables, most);
    if (cost > allowed) throw tooCostly(cost, allowed, longestFitting(allowed));
    // The handler of prepared reads may have charged the cost before it delegated the request.
    const state = charged ?? chargeCost?.(source, caller, cost);
    if (state?.refusal !== undefined) throw overBudget(cost, state, longestFitting(state.remaining));
    if (source.headers[costHeader] !== 'report') return undefined;
    return { asked: cost, allowed, left: state?.remaining ?? null, limit: state?.limit ?? null };
  };
  const begin = (args: ExecutionArgs, stop: (result: ExecutionResult) => void) => {
    const operation = getOperationAST(args.document, args.operationName);
    if (!operation) return undefined;
    const definitions = operation.variableDefinitions ?? [];
    const variables = args.variableValues ?? {};
    // Execution reports bad variables better. One error is enough here: those of a long list would fill the memory.
    const { coerced } = getVariableValues(args.schema, definitions, variables, { maxErrors: 1 });
    const refuse = (errors: GraphQLError[]) => stop({ errors });
    if (!coerced) {
      const errors = errorsOfLongVariables(definitions, args);
      return errors.length > 0 ? refuse(errors) : undefined;
    }
    try {
      return charge(operation, coerced, args);
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      // Execution would fail only the field with the bad argument, and the other fields would escape the limit.
      return refuse([withCode(error, 'INVALID_INPUT')]);
    }
  };
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const cost = begin(args, setResultAndStopExecution);
      if (!cost) return undefined;
      return {
        onExecuteDone({ result, setResult }) {
          setResult({ ...result, extensions: { cost } });
        },
      };
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      begin(args, setResultAndStopExecution);
    },
  };
}

const hint = (first: number): string =>
  first > 0
    ? ` With lists of at most ${first} elements it fits.`
    : ' Select fewer fields, or filter by fewer values.';

function tooCostly(cost: number, allowed: number, first: number): GraphQLError {
  const what = `The operation costs ${cost}: each field of each requested element counts 1, each value of a filter 20`;
  const { message, extensions } = limitExceeded('cost', allowed, cost, what);
  return new GraphQLError(message + hint(first), { extensions: { ...extensions, fits: { first } } });
}

function overBudget(cost: number, state: RateState, first: number): GraphQLError {
  const { refusal, remaining: left, limit, resetsIn } = state;
  const http = { status: 429, headers: { 'retry-after': String(resetsIn) } };
  // The extensions repeat the header for transports that have none.
  const details = { cost: { asked: cost, left, limit }, fits: { first }, retryAfter: resetsIn };
  const extensions = { code: 'RATE_LIMITED', ...details, http };
  return new GraphQLError(`${refusal}${hint(first)}`, { extensions });
}
