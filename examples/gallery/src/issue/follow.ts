import { GatewayError } from '@srr-gateway/client';
import { type EntryStateFragment, IssuedDocument } from '../gql/graphql.ts';
import { client } from '../lib/gateway.ts';
import { language } from '../lib/settings.ts';
import { change, getState, longRetry } from './state.ts';

let controller = new AbortController();

/** Stops following. The gateway continues the issuance without this page. */
export function stopFollowing() {
  controller.abort();
  controller = new AbortController();
}

/** From the stored issuance to records with pictures. */
export async function followIssuance() {
  const { requestId } = getState().draft;
  const { signal } = controller;
  try {
    const { status } = client.issuance({ requestId }, { ...longRetry, signal });
    for await (const issuance of status) {
      change({ issuance });
      await readEntries(requestId, signal);
    }
    // The index may lag, and IPFS delivers new content only after a moment.
    for (await readEntries(requestId, signal); getState().entries.some(isAwaited); ) {
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      await readEntries(requestId, signal);
    }
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof GatewayError)) throw error;
    change({ faults: [{ work: undefined, field: undefined, message: error.message }], disconnected: false });
  }
}

const isAwaited = ({ status, srr }: EntryStateFragment) =>
  status === 'ISSUED' && !(srr?.metadata && srr.indexing === 'INDEXED');

async function readEntries(requestId: string, signal: AbortSignal) {
  const variables = { requestId, languages: [language.get()] };
  const { data } = await client.query(IssuedDocument, variables, { ...longRetry, signal });
  signal.throwIfAborted();
  const edges = data.issuance?.entries?.edges;
  if (edges) change({ entries: edges.flatMap((edge) => edge?.node ?? []), disconnected: false });
}
