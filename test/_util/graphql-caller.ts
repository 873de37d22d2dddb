import { createHash } from 'node:crypto';

// The data of any operation; tests read its fields untyped.
// biome-ignore lint/suspicious/noExplicitAny: an untyped client is the point of these tests
export type Data = any;

export interface Answer {
  data: Data;
  errors?: { message: string; path?: (string | number)[]; extensions: { code?: string } }[];
}

/** A client of the gateway that uses plain HTTP only. */
export class GraphQLCaller {
  readonly url: string;
  readonly headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.url = url;
    this.headers = headers;
  }

  async ask(query: string, variables: Record<string, unknown> = {}): Promise<Answer & { status: number }> {
    const response = await fetch(`${this.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...this.headers },
      body: JSON.stringify({ query, variables }),
    });
    return { status: response.status, ...((await response.json()) as Answer) };
  }

  /** The data of an operation that must not fail. */
  async data(query: string, variables: Record<string, unknown> = {}): Promise<Data> {
    const answer = await this.ask(query, variables);
    if (answer.errors) throw new Error(`the gateway answered ${JSON.stringify(answer.errors)}`);
    return answer.data;
  }

  /** Sends an operation with one file, by the GraphQL multipart request specification. */
  async askWithFile(
    query: string,
    variables: Record<string, unknown>,
    file: { path: string; name: string; bytes: string | Buffer<ArrayBuffer> },
  ): Promise<Answer & { status: number }> {
    const form = new FormData();
    form.set('operations', JSON.stringify({ query, variables }));
    form.set('map', JSON.stringify({ 0: [`variables.${file.path}`] }));
    form.set('0', new File([file.bytes], file.name));
    const response = await fetch(`${this.url}/graphql`, {
      method: 'POST',
      headers: this.headers,
      body: form,
    });
    return { status: response.status, ...((await response.json()) as Answer) };
  }

  /** Uploads bytes straight to the signed address; returns the upload's id. */
  async upload(filename: string, category: string, bytes: string | Buffer<ArrayBuffer>): Promise<string> {
    const { createUploads } = await this.data(
      `mutation ($file: UploadSpecInput!) {
        createUploads(input: { files: [$file] }) {
          uploads { id signedUrl contentType }
          userErrors { code message }
        }
      }`,
      {
        file: { filename, category, sha256: createHash('sha256').update(bytes).digest('hex') },
      },
    );
    const [upload] = createUploads.uploads;
    if (!upload) throw new Error(JSON.stringify(createUploads.userErrors));
    const response = await fetch(upload.signedUrl, {
      method: 'PUT',
      headers: { 'content-type': upload.contentType },
      body: bytes,
    });
    // 412: the file is there already, as when a test is retried.
    if (!response.ok && response.status !== 412) throw new Error(`storage answered ${response.status}`);
    return upload.id;
  }

  /** Yields the events of a subscription over SSE until the signal aborts or it completes. */
  async *subscribe(
    query: string,
    variables: Record<string, unknown>,
    signal: AbortSignal,
  ): AsyncGenerator<Answer> {
    const response = await fetch(`${this.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...this.headers },
      body: JSON.stringify({ query, variables }),
      signal,
    });
    let text = '';
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(piece).toString();
      const messages = text.split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) {
        const event = /^event: (.*)$/m.exec(message)?.[1];
        const data = /^data: (.*)$/m.exec(message)?.[1];
        if (event === 'complete') return;
        if (event === 'next' && data) yield JSON.parse(data) as Answer;
      }
    }
  }
}

/** Sends a query to a gateway, and returns the response of HTTP. */
export function postQuery(
  url: string,
  query: string,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
) {
  return fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
    ...(signal && { signal }),
  });
}
