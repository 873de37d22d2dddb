import type { OlderSchema } from './older-schema.ts';

/** A `fetch` that asks a subgraph only for what its schema has, and returns the lists it lacks as empty. */
export function trimmingFetch(schema: OlderSchema, send: typeof fetch): typeof fetch {
  return async (url, init) => {
    const { query, variables = {} } = JSON.parse(init?.body as string) as {
      query: string;
      variables?: Record<string, unknown>;
    };
    const trimmed = schema.trim(query);
    if (!trimmed) return send(url, init);
    const body = JSON.stringify({ query: trimmed.query, variables: schema.trimVariables(variables) });
    const response = await send(url, { ...init, body });
    if (trimmed.absent.length === 0) return response;
    const answer = (await response.json()) as { data?: object | null };
    const empty = Object.fromEntries(trimmed.absent.map((name) => [name, []]));
    return Response.json({ ...answer, ...(answer.data && { data: { ...empty, ...answer.data } }) });
  };
}
