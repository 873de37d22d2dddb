import { badResponse, type Call, type CallContext, post, understand } from './call.ts';
import type { Payload } from './read-message.ts';
import { type Credentials, issueAnswer } from './wire.ts';

/** The service accepted an entry of the batch; mining follows. */
export interface IssueResult {
  externalId: string;
  tokenId: string;
  metadataCID: string;
  metadataURL: string;
  /** Null for a record of the registry. */
  collectionContractAddress: string | null;
  /** `waiting_for_mining` */
  status: string;
}

/** One batch. `requestId` is its idempotency key at the service. */
export interface IssueRequest {
  requestId: string;
  payload: Payload;
}

/** POSTs a batch once. See `Commerce.issue` for what its errors prove. */
export async function issue(
  context: CallContext,
  options: {
    credentials: Credentials;
    request: IssueRequest;
    timeoutMs: number;
    signal?: AbortSignal | undefined;
  },
): Promise<IssueResult[]> {
  const { credentials, request, timeoutMs, signal } = options;
  const { requestId, payload } = request;
  const call: Call = { path: 'srrs', credentials, body: { requestId, payload }, timeoutMs, signal };
  const answer = await post(context, call, { effect: true });
  const { results } = understand(context, call, answer, issueAnswer, payload);
  const byExternalId = new Map(results.map((result) => [result.externalId, result]));
  if (results.length !== payload.length)
    throw badResponse(context, call, answer, `${results.length} results for ${payload.length} entries`);
  return payload.map(({ externalId }) => {
    const result = byExternalId.get(String(externalId));
    if (!result) throw badResponse(context, call, answer, 'an entry has no result');
    const { srr, status } = result;
    return {
      externalId: result.externalId,
      tokenId: srr.tokenId,
      metadataCID: srr.metadataCID,
      metadataURL: srr.metadataURL,
      collectionContractAddress: srr.collectionContractAddress ?? null,
      status,
    };
  });
}
