import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { measureDocument, type Variables } from '../limits/measure-document.ts';
import { operationOf, rootFields } from '../operation.ts';
import { Plan } from './plan.ts';
import type { SharedReads } from './shared-reads.ts';

/** Root fields that give every caller the same until the next block. */
const ofTheBlock = new Set(['srr', 'srrs', 'licensedUser', 'licensedUsers', 'collection', 'collections']);
/** The root fields that read one row by its key. Such rows are read together. */
const ofOneRow = new Set(['srr', 'licensedUser', 'collection']);
/** Root fields that read no source. */
const ofTheSchema = new Set(['__typename', '__schema', '__type']);
/**
 * Plans of one document: one for each combination of values of the variables in @skip and @include. Clients use one
 * or two.
 */
const maxPlans = 16;

/** A query of public records, with everything that depends only on its document. */
export type PreparedRead = NonNullable<ReturnType<typeof prepareRead>>;

/** Prepares a valid document; undefined for anything but a query of public records. */
export function prepareRead(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
) {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== 'query') return undefined;
  const parsed = operationOf(schema, document, operation);
  const fields = rootFields(parsed);
  if (!fields.every((field) => ofTheBlock.has(field) || ofTheSchema.has(field))) return undefined;
  const { variableDefinitions: definitions = [] } = operation;
  const conditions = conditionsIn(document);
  const { costOf } = measureDocument(schema, document);
  const plans = new LRUCache<string, Plan>({ max: maxPlans });
  return {
    /** Names of the root fields, each once. */
    fields,
    readsSources: !fields.every((field) => ofTheSchema.has(field)),
    /**
     * Whether every root field reads a single row. A page is excluded, because it may have a block of its own, that
     * of its cursor.
     */
    readsRows: fields.every((field) => ofOneRow.has(field)),
    /** Set once an execution has read its caller. From then on issuers share no answers of this read. */
    usesCaller: false,
    /** The reads that began in this turn of the event loop. They ask nothing before the next turn. */
    begun: undefined as SharedReads | undefined,
    /**
     * The coerced variables, and the number of fields that the response may have; undefined when a variable or an
     * argument is refused.
     */
    measure(sent: Variables): { variables: Variables; cost: number } | undefined {
      try {
        const variables =
          definitions.length === 0
            ? {}
            : getVariableValues(schema, definitions, sent, { maxErrors: 1 }).coerced;
        return variables && { variables, cost: costOf(operation, variables) };
      } catch {
        return undefined;
      }
    },
    plan(variables: Variables): Plan {
      const values = conditions.map((name) => variables[name]).join();
      const known = plans.get(values);
      if (known) return known;
      // Only these variables: the plan keeps them, and a caller's others may be long.
      const plan = new Plan(parsed, Object.fromEntries(conditions.map((name) => [name, variables[name]])));
      plans.set(values, plan);
      return plan;
    },
  };
}

/** The variables that @skip and @include use. */
function conditionsIn(document: DocumentNode): string[] {
  const conditions = new Set<string>();
  visit(document, {
    Directive: ({ arguments: sent = [] }) => {
      for (const { value } of sent) if (value.kind === Kind.VARIABLE) conditions.add(value.name.value);
    },
  });
  return [...conditions];
}
