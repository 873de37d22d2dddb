import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export interface ToolAnswer {
  isError: boolean;
  text: string;
  // The data of any tool; tests read its fields untyped.
  // biome-ignore lint/suspicious/noExplicitAny: an untyped client is the point of these tests
  data: any;
}

/** The official client over real HTTP, as an agent host uses it. */
export async function connectMcp(url: string, token?: string, options: ClientOptions = {}) {
  const client = new Client({ name: 'test', version: '1' }, options);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }) as never,
  );
  return {
    client,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
      const {
        isError = false,
        content,
        structuredContent,
      } = await client.callTool({ name, arguments: args });
      const [{ text }] = content as unknown as [{ text: string }];
      return { isError: Boolean(isError), text, data: structuredContent };
    },
  };
}

export type McpCaller = Awaited<ReturnType<typeof connectMcp>>;

/** Sends one message over plain HTTP. */
export const postMcp = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  });
