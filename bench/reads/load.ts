import { Pool } from 'undici';

export interface Round {
  perSecond: number;
  /** The latency of each request, in milliseconds. */
  latencies: number[];
}

/** The body of a contender's nth request, made before the timing starts. */
export type Body = (n: number) => string;

const json = { 'content-type': 'application/json', accept: 'application/json' };

export interface Load {
  /** Keeps all connections busy for this long: each sends its next request when it has its whole response. */
  run(body: Body, milliseconds: number): Promise<Round>;
  /**
   * Sends one request and parses the response. @throws when it is not a complete GraphQL response without
   * errors.
   */
  ask(body: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Counts the requests of all loads: the gateway has two, and neither may repeat a query of the other. */
let n = 1;

export function createLoad(
  url: string,
  path: string,
  connections: number,
  more: Record<string, string> = {},
): Load {
  const headers = { ...json, ...more };
  const pool = new Pool(url, { connections, pipelining: 1 });
  return {
    async run(body, milliseconds) {
      const latencies: number[] = [];
      const started = performance.now();
      const until = started + milliseconds;
      const client = async () => {
        while (performance.now() < until) {
          const text = body(n++);
          const sent = performance.now();
          const { statusCode, body: answer } = await pool.request({
            method: 'POST',
            path,
            headers,
            body: text,
          });
          let bytes = 0;
          for await (const chunk of answer) bytes += (chunk as Buffer).length;
          if (statusCode !== 200 || bytes === 0) throw new Error(`${url} answered ${statusCode}`);
          latencies.push(performance.now() - sent);
        }
      };
      await Promise.all(Array.from({ length: connections }, client));
      return { perSecond: (latencies.length * 1000) / (performance.now() - started), latencies };
    },
    async ask(body) {
      const answer = await pool.request({ method: 'POST', path, headers, body });
      const { data, errors } = (await answer.body.json()) as { data?: unknown; errors?: unknown };
      if (!data || errors) throw new Error(`${url} answered ${JSON.stringify(errors ?? data)}`);
      return data;
    },
    close: () => pool.close(),
  };
}
