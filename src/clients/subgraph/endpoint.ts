import type { Logger } from '@srr-gateway/common/log';
import { OutageLog } from '@srr-gateway/common/outage-log';
import { getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { createSingleFlight } from '../../lib/single-flight.ts';
import { createResilience, type Resilience } from '../resilience.ts';
import { SubgraphError } from './failure.ts';
import { keyHider } from './hide-keys.ts';
import { OlderSchema } from './older-schema.ts';
import type { QueryResult, RunQuery, SubgraphQuery, WithMeta } from './query.ts';
import type { At } from './records.ts';
import { post, request, type Target } from './request.ts';

/** One address of the subgraph. */
export interface Endpoint {
  host: string;
  /** Asks once. */
  runQuery: RunQuery;
  /** Whether one call is testing if the endpoint is back, for which other calls would wait. */
  isOnTrial(): boolean;
}

/** How long a learned schema is used: a subgraph may be upgraded at any time. */
export const learnAgainMs = 10 * 60_000;

/** Settings of one address of the subgraph. */
export interface EndpointOptions extends Pick<Target, 'url' | 'isFirst' | 'http' | 'timeoutMs'> {
  apiKey?: string | undefined;
  log: Logger;
}

/** Creates the client of one address. If its schema is older than ours, queries are trimmed to it. */
export function createEndpoint(options: EndpointOptions): Endpoint {
  const { url, isFirst, http, timeoutMs, log, apiKey } = options;
  const { host } = url;
  const headers = {
    'content-type': 'application/json',
    accept: 'application/graphql-response+json, application/json',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  const outage = new OutageLog(log.child({ upstream: 'SUBGRAPH', host }), 'SUBGRAPH_URL: no GraphQL answer');
  const hideKeys = keyHider(url, apiKey);
  const target: Target = { url, isFirst, headers, http, timeoutMs, outage, hideKeys };
  const resilience: Resilience = createResilience({
    upstream: 'SUBGRAPH',
    log,
    host,
    retries: 0,
    counts: (error) => error instanceof SubgraphError && error.unhealthy,
  });
  /** Set after this endpoint has refused a query that only a newer schema accepts. */
  let schema: OlderSchema | undefined;
  let learnedAt = 0;
  const learning = createSingleFlight<OlderSchema | undefined>();
  const runForAnyVersion = async <D extends WithMeta>(
    query: SubgraphQuery<D>,
    at: At,
  ): Promise<QueryResult<D>> => {
    if (schema && performance.now() - learnedAt > learnAgainMs) schema = undefined;
    const known = schema;
    try {
      return await request(target, query, at, known);
    } catch (error) {
      if (!(error instanceof SubgraphError) || error.kind !== 'OTHER_SCHEMA' || known) throw error;
      // A concurrent query may have learned the schema meanwhile, or may be asking for it: the answer is long.
      schema ??= await learning.join('schema', (signal) => learnSchema(target, log, signal), at.signal);
      if (!schema) throw error;
      learnedAt = performance.now();
      return request(target, query, at, schema);
    }
  };
  return {
    host,
    isOnTrial: resilience.isOnTrial,
    runQuery: (query, at) => resilience.once(() => runForAnyVersion(query, at), at.signal),
  };
}

/** Asks the subgraph for its schema; undefined when it does not answer that. */
async function learnSchema(
  target: Target,
  log: Logger,
  signal: AbortSignal,
): Promise<OlderSchema | undefined> {
  try {
    const { text } = await post(target, JSON.stringify({ query: getIntrospectionQuery() }), signal);
    const schema = new OlderSchema((JSON.parse(text) as { data: IntrospectionQuery }).data);
    log.warn(
      { upstream: 'SUBGRAPH', host: target.url.host },
      'the subgraph has an older schema; from now on it is asked only for the fields that it has',
    );
    return schema;
  } catch {
    return undefined;
  }
}
