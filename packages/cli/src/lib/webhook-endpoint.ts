import { type EventType, type Fault, GatewayError } from '@srr-gateway/client';
import { Argument } from 'commander';
import { eventTypes } from '../generated/events.ts';
import { FailedError } from './exit-codes.ts';
import { fields, say } from './output.ts';
import { issuerOf, queried, type Session } from './session.ts';

/** An endpoint as `srr endpoints` shows it. packages/cli/README.md lists its fields under "Commands". */
export interface ShownEndpoint {
  id: string;
  url: string;
  status: 'ENABLED' | 'FAILING' | 'DISABLED';
  types: EventType[];
  description: string | null;
  failingSince: string | null;
  configured: boolean;
  createdAt: string;
}

export const endpointFields = 'id url status types description failingSince configured createdAt';

const document = `query Endpoints($after: String) {
  webhookEndpoints(first: 100, after: $after) {
    edges { node { ${endpointFields} } }
    pageInfo { hasNextPage endCursor }
  }
}`;

interface Page {
  webhookEndpoints: {
    edges: { node: ShownEndpoint }[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
}

/** All endpoints of the caller's issuer, oldest first. */
export async function listEndpoints(session: Session): Promise<ShownEndpoint[]> {
  await issuerOf(session);
  const all: ShownEndpoint[] = [];
  for (let after: string | null = null; ; ) {
    const { webhookEndpoints }: Page = await queried<Page>(session, document, { after });
    all.push(...webhookEndpoints.edges.map(({ node }) => node));
    if (!webhookEndpoints.pageInfo.hasNextPage) return all;
    after = webhookEndpoints.pageInfo.endCursor;
  }
}

/** The argument that names an endpoint. */
export const endpointArgument = (): Argument => new Argument('<endpoint>', 'its id or its address');

/** The endpoint with this id or address. */
export async function findEndpoint(session: Session, name: string): Promise<ShownEndpoint> {
  const url = URL.parse(name)?.href;
  const found = (await listEndpoints(session)).find((one) => one.id === name || one.url === url);
  if (found) return found;
  throw new FailedError(`There is no webhook endpoint "${name}". See: srr endpoints list`);
}

/** Runs a mutation of one input. @throws GatewayError with all userErrors, after what the address answered */
export async function mutate<Payload>(
  { client, signal }: Session,
  name: string,
  input: object,
  selection: string,
): Promise<Payload> {
  const inputType = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
  const { data, requestId } = await client.mutate<Record<string, Payload & { userErrors: Fault[] }>>(
    `mutation ($input: ${inputType}!) {
      ${name}(input: $input) { ${selection} userErrors { code message path upstreamMessage } }
    }`,
    { input },
    { signal },
  );
  const payload = data[name] as Payload & { userErrors: Fault[] };
  const all = payload.userErrors.map(
    (fault) => new GatewayError({ ...fault, code: fault.code ?? 'UNKNOWN_ERROR' }, { requestId }),
  );
  const [error] = all;
  if (!error) return payload;
  if (error.upstreamMessage) say(`The address answered: ${JSON.stringify(error.upstreamMessage)}`);
  error.all = all;
  throw error;
}

const typesText = (types: readonly string[]) => (types.length >= eventTypes.length ? 'all' : types.join(','));

export const endpointLine = ({ id, status, url, types, description }: ShownEndpoint): string =>
  [id, status, url, typesText(types), description].filter(Boolean).join('  ');

export const endpointText = (endpoint: ShownEndpoint, secret: string | null = null): string[] =>
  fields([
    ['endpoint', endpoint.id],
    ['address', endpoint.url],
    ['status', endpoint.status],
    ['events', typesText(endpoint.types)],
    ['description', endpoint.description],
    ['failing since', endpoint.failingSince],
    ['created', endpoint.createdAt],
    ['secret', secret && `${secret}  (shown this once)`],
  ]);
