import { createCollection } from './collection.ts';
import type { ContentGateway } from './content-gateway.ts';
import { fileMetadata, signedUrls } from './file-calls.ts';
import { type InjectedFault, takeInjectedFault } from './injected-fault.ts';
import { issueSrrs, notAccepted } from './issue.ts';
import { IssueLog } from './issue-log.ts';
import { schemaAt } from './metadata-rules.ts';
import { chipAlias } from './request-checks.ts';
import { Storage } from './storage.ts';
import type { SubgraphServer } from './subgraph-server.ts';
import type { Surface } from './variants.ts';
import { type Handler, type Reply, type SeenRequest, withInjectedFault } from './web.ts';
import { Refused, type World } from './world.ts';

const prefix = '/port/api/v1/commerce/';

/** The surface of a request; undefined for downloads from storage, schemas and unknown paths. */
export function surfaceOf({ method, path }: SeenRequest): Surface | undefined {
  if (path === '/index') return 'index';
  if (path.startsWith('/ipfs/')) return 'ipfs';
  if (method === 'PUT') return 'put';
  const call = path.startsWith(prefix) && method === 'POST' ? path.slice(prefix.length) : undefined;
  return (['signedUrls', 'fileMetadata', 'srrs', 'collection'] as const).find((known) => known === call);
}

/** Routes each request to its surface, with the fault that is set for that surface. */
export function routes(
  world: World,
  index: SubgraphServer,
  content: ContentGateway,
): (request: SeenRequest) => ReturnType<Handler> | undefined {
  const { variants } = world;
  const storage = new Storage(world);
  const log = new IssueLog();
  const answer = (surface: Surface, request: SeenRequest): Reply | Promise<Reply> => {
    switch (surface) {
      case 'signedUrls':
        return signedUrls(world, storage, request);
      case 'fileMetadata':
        return fileMetadata(world, request);
      case 'srrs':
        return issueSrrs(world, log, request);
      case 'collection':
        return createCollection(world, request);
      case 'index':
        return index.answer(request);
      default:
        return content.answer(request);
    }
  };
  const schema = ({ path }: SeenRequest): Reply | undefined => {
    const body = schemaAt(path, chipAlias, variants.newerSchema);
    return body && variants.schemas === 'SERVED' ? { status: 200, body } : undefined;
  };
  /** The effects of a request to issue that broke before it was processed. */
  const broke = (surface: Surface, { headers, body }: SeenRequest, fault: InjectedFault | undefined) => {
    const account = world.accounts.find(({ apiKey }) => apiKey === headers['commerce-api-key']);
    if (surface !== 'srrs' || !account) return;
    const reason = typeof fault?.answer === 'object' ? JSON.stringify(fault.answer.body) : 'it broke';
    notAccepted(world, log, account.address, body, reason);
  };
  return (request) => {
    const surface = surfaceOf(request);
    if (surface === undefined || surface === 'put') return storage.handle(request) ?? schema(request);
    const fault = takeInjectedFault(variants, surface);
    const work = () => orRefused(() => answer(surface, request));
    return withInjectedFault(fault, work, () => broke(surface, request, fault));
  };
}

async function orRefused(work: () => Reply | Promise<Reply>): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused) return error.reply;
    throw error;
  }
}
