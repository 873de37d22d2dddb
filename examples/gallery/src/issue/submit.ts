import { GatewayError, IdempotencyConflictError } from '@srr-gateway/client';
import { CheckDocument } from '../gql/graphql.ts';
import { client } from '../lib/gateway.ts';
import { entryOf } from './entry.ts';
import { faultAt, type GatewayFault } from './faults.ts';
import { followIssuance } from './follow.ts';
import { change, changeDraft, getState, longRetry } from './state.ts';

/** Continues once the button was pressed and every file is uploaded, whichever comes last. */
export async function submitWhenUploaded() {
  const { phase, works } = getState().draft;
  if (phase !== 'uploading' || works.some(({ image }) => !image)) return;
  try {
    const variables = { entries: works.map((work) => entryOf(work, getState().draft)) };
    const { data } = await client.query(CheckDocument, variables, longRetry);
    change({ disconnected: false });
    // The user may have stopped it meanwhile.
    if (getState().draft.phase !== 'uploading') return;
    if (data.validateSRRs.userErrors.length > 0) return refuse(data.validateSRRs.userErrors);
  } catch (error) {
    return refuseOrThrow(error);
  }
  await submit();
}

/** Also runs after a reload that came before the answer: with the same requestId nothing is issued twice. */
export async function submit() {
  changeDraft({ phase: 'sending' });
  const { draft } = getState();
  const entries = draft.works.map((work) => entryOf(work, draft));
  try {
    await client.issue(entries, { requestId: draft.requestId, ...longRetry }).stored;
  } catch (error) {
    // Another tab has sent this form with other content, so this content needs a new requestId.
    if (error instanceof IdempotencyConflictError) changeDraft({ requestId: crypto.randomUUID() });
    return refuseOrThrow(error);
  }
  changeDraft({ phase: 'sent' });
  change({ disconnected: false });
  await followIssuance();
}

function refuse(faults: readonly GatewayFault[]) {
  const { works } = getState().draft;
  changeDraft({ phase: 'editing' });
  change({ faults: faults.map((fault) => faultAt(fault, works)), disconnected: false });
}

function refuseOrThrow(error: unknown) {
  if (!(error instanceof GatewayError)) throw error;
  refuse(error.all);
}
