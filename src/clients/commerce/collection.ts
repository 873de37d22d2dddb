import { type Call, type CallContext, post, understand } from './call.ts';
import { type Credentials, collectionAnswer } from './wire.ts';

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

/** POSTs a collection once. Its errors prove the same as those of `Commerce.issue`. */
export async function createCollection(
  context: CallContext,
  options: {
    credentials: Credentials;
    collection: CollectionRequest;
    timeoutMs: number;
    signal?: AbortSignal | undefined;
  },
): Promise<CollectionResult> {
  const { credentials, collection, timeoutMs, signal } = options;
  const { name, symbol, salt } = collection;
  const body = { payload: { name, symbol, salt } };
  const call: Call = { path: 'collection', credentials, body, timeoutMs, signal };
  const answer = await post(context, call, { effect: true });
  return understand(context, call, answer, collectionAnswer).result;
}
