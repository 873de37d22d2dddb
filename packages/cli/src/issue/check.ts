import type { FileRefInput } from '@srr-gateway/client';
import { isRefusal } from '../lib/exit-codes.ts';
import { queried, type Session } from '../lib/session.ts';
import { filesOf } from '../manifest/draft.ts';
import { type Batch, entryOf } from './batch.ts';

/** A fault of the gateway, as an error and as an item of `userErrors`. */
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

/** Codes to ignore for files that the run will upload. */
const notUploaded = /^(FILE|ATTACHMENT)_NOT_(FOUND|READY)$/;

/** Lets the gateway check the records of a batch, without its files. */
export async function check(session: Pick<Session, 'client' | 'signal'>, batch: Batch): Promise<Findings> {
  const refs = new Map<string, FileRefInput>();
  for (const file of filesOf(batch))
    refs.set(file.key, { file: { filename: file.standIn, category: file.category } });
  try {
    const entries = batch.map((draft) => entryOf(draft, refs));
    const { validateSRRs } = await queried<{
      validateSRRs: { userErrors: Fault[]; warnings: Fault[] };
    }>(session, validate, { entries });
    const ownOf = (found: Fault[]) => found.filter(({ code }) => !notUploaded.test(code));
    return { faults: ownOf(validateSRRs.userErrors), warnings: ownOf(validateSRRs.warnings) };
  } catch (error) {
    // A malformed value, such as an address of 39 digits, refuses the whole query.
    if (isRefusal(error)) return { faults: [...error.all], warnings: [] };
    throw error;
  }
}

/** Faults that only the service can decide: the subgraph may lag, and a query has limits of its own. */
const undecided = /^(UNKNOWN_ARTIST|NOT_FOUND|ADDRESS_NOT_FOUND|LIMIT_EXCEEDED)$/;

/** The faults for which the gateway will refuse a batch, as far as they are known before its files are uploaded. */
export async function faultsOf(session: Parameters<typeof check>[0], batch: Batch): Promise<Fault[]> {
  const { faults } = await check(session, batch);
  return faults.filter(({ code }) => !undecided.test(code));
}
