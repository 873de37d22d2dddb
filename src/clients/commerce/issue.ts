import { parseAddressInAnyCase } from '@srr-gateway/common/address';
import { z } from 'zod';
import { parseTokenId } from '../../model/token-id.ts';
import { badResponse, type Call, type CallContext, type Credentials, parseAnswer, post } from './call.ts';
import { listOf } from './list-of.ts';
import type { Payload } from './read-message.ts';

/** One batch. `requestId` is its idempotency key at the service. */
export interface IssueRequest {
  requestId: string;
  payload: Payload;
}

/** The collection to deploy. */
export interface CollectionRequest {
  name: string;
  symbol: string;
  /** 0x and 64 hex digits. It decides the address, and works once. */
  salt: string;
}

// Zod drops unknown fields of answers, because the service may add some at any time.

// A token id in another form would not match those of deliveries and the subgraph.
const tokenId = z.string().transform((text, ctx) => {
  const id = parseTokenId(text);
  if (id !== undefined) return id;
  ctx.addIssue({ code: 'custom', message: 'must be a whole number' });
  return z.NEVER;
});

// The document does not say in which letter case the service writes addresses.
const address = z.string().transform((text) => parseAddressInAnyCase(text) ?? text);

const issueAnswer = z.object({
  results: listOf(
    z
      .object({
        /** `waiting_for_mining` */
        status: z.string(),
        externalId: z.string(),
        srr: z.object({
          tokenId,
          metadataCID: z.string(),
          metadataURL: z.string(),
          /** Null for a record of the registry. */
          collectionContractAddress: address.nullable().default(null),
        }),
      })
      .transform(({ srr, ...entry }) => ({ ...entry, ...srr })),
  ),
});

/** An entry of the batch that the service accepted. Mining follows. */
export type IssueResult = z.output<typeof issueAnswer>['results'][number];

const collectionAnswer = z.object({
  result: z.object({
    name: z.string(),
    symbol: z.string(),
    /** Known before the collection is mined, because it is derived from the salt. */
    collectionAddress: address,
    /** `waiting_for_mining` or `failed` */
    status: z.string(),
  }),
});

/** A collection that the service accepted. Mining follows. */
export type CollectionResult = z.output<typeof collectionAnswer>['result'];

/** Creates the calls that change something. None is retried, because only the caller knows whether that is safe. */
export function createIssueCalls(context: CallContext) {
  const { resilience, timeouts } = context;
  const timeoutMs = timeouts.issue;
  return {
    /**
     * Issues a batch; sent at most once. A `CommerceRefusal` proves that nothing was issued. An
     * `UpstreamError` proves it only when its `maybeProcessed` is false.
     */
    issue: (
      credentials: Credentials,
      { requestId, payload }: IssueRequest,
      given?: AbortSignal,
    ): Promise<IssueResult[]> =>
      resilience.once(async (signal) => {
        const call: Call = { path: 'srrs', credentials, body: { requestId, payload }, timeoutMs, signal };
        const answer = await post(context, call);
        const { results } = parseAnswer(context, call, answer, issueAnswer, payload);
        if (results.length !== payload.length)
          throw badResponse(context, call, answer, `${results.length} results for ${payload.length} entries`);
        const byExternalId = new Map(results.map((result) => [result.externalId, result]));
        return payload.map(({ externalId }) => {
          const result = byExternalId.get(String(externalId));
          if (!result) throw badResponse(context, call, answer, 'an entry has no result');
          // A refusal should be a 400. Treated as accepted, such an entry would wait for mining for ever.
          if (result.status === 'failed')
            throw badResponse(context, call, answer, 'an entry is called failed');
          return result;
        });
      }, given),

    /** Deploys a collection; sent at most once. Its errors prove the same as those of `issue`. */
    createCollection: (
      credentials: Credentials,
      { name, symbol, salt }: CollectionRequest,
      given?: AbortSignal,
    ): Promise<CollectionResult> =>
      resilience.once(async (signal) => {
        const body = { payload: { name, symbol, salt } };
        const call: Call = { path: 'collection', credentials, body, timeoutMs, signal };
        return parseAnswer(context, call, await post(context, call), collectionAnswer).result;
      }, given),
  };
}
