import type { FileRefInput } from '@srr-gateway/client';
import { isRefusal } from '../lib/exit-codes.ts';
import { queryOrThrow, type Session } from '../lib/session.ts';
import { filesOf } from '../manifest/draft.ts';
import { type Batch, entryOf } from './batch.ts';

/** A fault that the gateway reports, as a thrown error or in `userErrors`. */
export interface Fault {
  code: string;
  message: string;
  path?: readonly (string | number)[] | null | undefined;
  externalId?: string | null | undefined;
  upstreamMessage?: string | null | undefined;
}

export interface Findings {
  faults: Fault[];
  warnings: Fault[];
}

const validate = `query CheckRecords($entries: [IssueEntryInput!]!) {
  validateSRRs(entries: $entries) {
    userErrors { code message path }
    warnings { code message path }
  }
}`;

/** Not a fault here: the run uploads these files later. */
const notUploaded = /^(FILE|ATTACHMENT)_NOT_(FOUND|READY)$/;

/** Lets the gateway check the records of a batch, without its files. */
export async function check(session: Pick<Session, 'client' | 'signal'>, batch: Batch): Promise<Findings> {
  const refs = new Map<string, FileRefInput>();
  for (const file of filesOf(batch))
    refs.set(file.key, { file: { filename: file.placeholderName, category: file.category } });
  try {
    const entries = batch.map((draft) => entryOf(draft, refs));
    const { validateSRRs } = await queryOrThrow<{
      validateSRRs: { userErrors: Fault[]; warnings: Fault[] };
    }>(session, validate, { entries });
    const relevant = (found: Fault[]) => found.filter(({ code }) => !notUploaded.test(code));
    return { faults: relevant(validateSRRs.userErrors), warnings: relevant(validateSRRs.warnings) };
  } catch (error) {
    // The gateway refuses a malformed value, such as an address of 39 digits, before it checks anything else.
    if (isRefusal(error)) return { faults: [...error.all], warnings: [] };
    throw error;
  }
}

/** Left to the service: the subgraph may lag behind it, and a query has limits that an issuance does not have. */
const leftToService = /^(UNKNOWN_ARTIST|NOT_FOUND|ADDRESS_NOT_FOUND|LIMIT_EXCEEDED)$/;

/** The faults for which the gateway would refuse a batch, as far as it can tell before the upload. */
export async function faultsOf(session: Parameters<typeof check>[0], batch: Batch): Promise<Fault[]> {
  const { faults } = await check(session, batch);
  return faults.filter(({ code }) => !leftToService.test(code));
}
