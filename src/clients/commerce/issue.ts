import { badResponse, type Call, type CallContext, parseAnswer, post } from './call.ts';
import type { Payload } from './read-message.ts';
import { type Credentials, collectionAnswer, issueAnswer } from './wire.ts';

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

/** The collection to deploy. */
export interface CollectionRequest {
  name: string;
  symbol: string;
  /** 0x and 64 hex digits. It decides the address, and can be used once. */
  salt: string;
}

/** The service accepted the collection; mining follows. */
export interface CollectionResult {
  name: string;
  symbol: string;
  /** Known before the collection is mined, because it is derived from the salt. */
  collectionAddress: string;
  /** `waiting_for_mining` or `failed` */
  status: string;
}

/** The calls that change something at the service. */
export interface IssueCalls {
  /**
   * Issues a batch; sent at most once. A `CommerceRefusal` proves that nothing was issued. An
   * `UpstreamError` proves it only when its `maybeProcessed` is false.
   */
  issue(credentials: Credentials, request: IssueRequest, signal?: AbortSignal): Promise<IssueResult[]>;

  /** Deploys a collection; sent at most once. Its errors prove the same as those of `issue`. */
  createCollection(
    credentials: Credentials,
    collection: CollectionRequest,
    signal?: AbortSignal,
  ): Promise<CollectionResult>;
}

/** Makes the calls that change something; none is ever repeated. */
export function createIssueCalls(context: CallContext): IssueCalls {
  const { resilience, timeouts } = context;
  const timeoutMs = timeouts.issue;
  return {
    issue: (credentials, { requestId, payload }, given) =>
      resilience.once(async (signal) => {
        const call: Call = { path: 'srrs', credentials, body: { requestId, payload }, timeoutMs, signal };
        const answer = await post(context, call);
        const { results } = parseAnswer(context, call, answer, issueAnswer, payload);
        if (results.length !== payload.length)
          throw badResponse(context, call, answer, `${results.length} results for ${payload.length} entries`);
        const byExternalId = new Map(results.map((result) => [result.externalId, result]));
        return payload.map((entry) => {
          const result = byExternalId.get(String(entry.externalId));
          if (!result) throw badResponse(context, call, answer, 'an entry has no result');
          const { externalId, srr, status } = result;
          return {
            ...srr,
            externalId,
            collectionContractAddress: srr.collectionContractAddress ?? null,
            status,
          };
        });
      }, given),

    createCollection: (credentials, { name, symbol, salt }, given) =>
      resilience.once(async (signal) => {
        const body = { payload: { name, symbol, salt } };
        const call: Call = { path: 'collection', credentials, body, timeoutMs, signal };
        return parseAnswer(context, call, await post(context, call), collectionAnswer).result;
      }, given),
  };
}
