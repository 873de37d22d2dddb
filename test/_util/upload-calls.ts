import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import type { TestIssuer } from '@srr-gateway/sandbox/testing/issuer';
import { expect } from 'vitest';
import { entry } from './entries.ts';
import type { TestGateway } from './gateway.ts';
import type { GraphQLCaller } from './graphql-caller.ts';

/** A response of the sandbox: the status, and its message or the code and message of the storage's XML. */
export type ServiceAnswer = [number, unknown];

/** The response of the service to a call that it refuses. */
export async function refusalOf(
  issuer: TestIssuer,
  endpoint: string,
  body: object,
  headers: Record<string, string | undefined>,
): Promise<ServiceAnswer> {
  const answer = await issuer.post(endpoint, body, headers);
  expect(answer.body.statusCode).toBe(answer.status);
  return [answer.status, answer.body.message];
}

/** A filename with content, which the gateway has seen as READY. */
export async function readyFile(issuer: TestIssuer, reader: GraphQLCaller): Promise<string> {
  const filename = `${randomUUID()}.png`;
  await issuer.uploadReady(filename, 'artwork', 'old');
  await reader.data(`{ uploads(files: [{ filename: "${filename}", category: ARTWORK }]) { status } }`);
  return filename;
}

/** Uploads bytes directly to storage. */
export async function put(url: string, contentType: string, body: string): Promise<ServiceAnswer> {
  const response = await fetch(url, { method: 'PUT', headers: { 'content-type': contentType }, body });
  const xml = await response.text();
  const [, code, message] = /<Code>(.*)<\/Code><Message>(.*)<\/Message>/.exec(xml) ?? [];
  return [response.status, `${code}: ${message}`];
}

/** A typed error in any of the gateway's forms. */
export interface Typed {
  form: 'userErrors' | 'errors' | 'http' | 'issuance';
  status: number;
  code: string | undefined;
  message: string;
  path?: unknown;
  upstreamMessage?: unknown;
}

async function mutate(caller: GraphQLCaller, document: string, variables: object): Promise<Typed> {
  return typed(await caller.ask(document, variables as Record<string, unknown>));
}

function typed(answer: Awaited<ReturnType<GraphQLCaller['ask']>>): Typed {
  const { status, data, errors } = answer;
  if (errors?.[0]) {
    const [{ message, extensions }] = errors as [NonNullable<typeof errors>[number]];
    const { code, inputPath, upstreamMessage } = extensions as Record<string, string>;
    return { form: 'errors', status, code, message, path: inputPath, upstreamMessage };
  }
  const [payload] = Object.values(data) as { userErrors: Typed[] }[];
  expect(payload?.userErrors).toHaveLength(1);
  return { ...(payload?.userErrors[0] as Typed), form: 'userErrors', status };
}

export const userErrors = 'userErrors { code message path upstreamMessage }';
export const createUploads = (caller: GraphQLCaller, file: object) =>
  mutate(
    caller,
    `mutation ($file: UploadSpecInput!) { createUploads(input: { files: [$file] }) { ${userErrors} } }`,
    {
      file: { category: 'ARTWORK', ...file },
    },
  );
export const showUploads = (caller: GraphQLCaller, filename: string) =>
  mutate(
    caller,
    `query ($filename: String!) { uploads(files: [{ filename: $filename, category: ARTWORK }]) { status } }`,
    {
      filename,
    },
  );

export async function uploadFile(
  caller: GraphQLCaller,
  name: string,
  bytes = 'x',
  input = {},
): Promise<Typed> {
  const document = `mutation ($input: UploadFileInput!) { uploadFile(input: $input) { ${userErrors} } }`;
  const variables = { input: { file: null, category: 'ARTWORK', ...input } };
  return typed(await caller.askWithFile(document, variables, { path: 'input.file', name, bytes }));
}

export async function proxy(
  caller: GraphQLCaller,
  filename: string,
  { body = 'x', ...headers }: Record<string, string> = {},
): Promise<Typed> {
  const response = await fetch(`${caller.url}/uploads/artwork/${encodeURIComponent(filename)}`, {
    method: 'PUT',
    headers: { 'content-type': 'image/png', ...caller.headers, ...headers },
    body,
  });
  const { error } = (await response.json()) as { error: Typed };
  return { ...error, form: 'http', status: response.status };
}

/** Announces the length of the body, and waits for the response before it sends any of the body. */
export function announceLength(caller: GraphQLCaller, length: number): Promise<Typed> {
  return new Promise((resolve, reject) => {
    const sending = request(
      `${caller.url}/uploads/artwork/huge.png`,
      {
        method: 'PUT',
        headers: { ...caller.headers, 'content-type': 'image/png', 'content-length': length },
      },
      async (response) => {
        let text = '';
        for await (const piece of response.setEncoding('utf8')) {
          text += piece;
          if (text.endsWith('}}')) break;
        }
        sending.destroy();
        resolve({ ...JSON.parse(text).error, form: 'http', status: response.statusCode });
      },
    );
    sending.on('error', reject).flushHeaders();
  });
}

/** Uploads through the gateway as a stream of unknown length. */
export function putChunked(
  caller: GraphQLCaller,
  upload: { proxyUrl: string; contentType: string },
  text: string,
) {
  return new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    const headers = { ...caller.headers, 'content-type': upload.contentType };
    const sending = request(upload.proxyUrl, { method: 'PUT', headers }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) });
    });
    sending.on('error', reject);
    for (let at = 0; at < text.length; at += 100_000) sending.write(text.slice(at, at + 100_000));
    sending.end();
  });
}

/** The rejection of an issuance of one record. */
export async function rejection(gateway: TestGateway, picture: object): Promise<Typed> {
  const { issueSRRs } = await gateway.caller.data(
    `mutation ($input: IssueSRRsInput!) { issueSRRs(input: $input) { issuance { id } ${userErrors} } }`,
    { input: { entries: [entry(gateway.info, randomUUID(), picture)] } },
  );
  expect(issueSRRs.userErrors).toEqual([]);
  const read = async () =>
    (
      await gateway.caller.data(
        'query ($id: ID!) { issuance(id: $id) { status error { code message } } }',
        issueSRRs.issuance,
      )
    ).issuance;
  // A file counts as missing after ten seconds of polling.
  await expect.poll(async () => (await read()).status, { timeout: 30_000 }).toBe('REJECTED');
  return { ...(await read()).error, form: 'issuance', status: 200 };
}

/** A fault, and the responses of the service and the gateway. */
export interface Case {
  name: string;
  /** Absent if the service cannot have this fault. */
  sandbox?: [() => Promise<ServiceAnswer>, ServiceAnswer | (() => ServiceAnswer)];
  gateway: [string, () => Promise<Typed>, object][];
}
