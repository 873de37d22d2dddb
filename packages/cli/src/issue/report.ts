import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import type { FinalIssuance } from '@srr-gateway/client';
import { FailedError, UsageError } from '../lib/exit-codes.ts';
import { faultText } from '../lib/fault-text.ts';
import { columnAt, inRows, splitPath } from '../manifest/columns.ts';
import { type Draft, filesOf } from '../manifest/draft.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Fault } from './check.ts';
import type { FileRefusedError } from './upload-files.ts';

/** The outcome of one record of the manifest. packages/cli/README.md describes it under "The report". */
export interface ReportedRecord {
  /** Where a person finds it: `row 2` of a CSV, `record 1` of a JSON list. */
  where: string;
  externalId: string;
  /** NEW: not sent. REFUSED: the gateway refused its batch, and nothing of it was issued. Otherwise its EntryStatus. */
  status: string;
  requestId: string | null;
  tokenId: string | null;
  contractAddress: string | null;
  metadataCID: string | null;
  error: { code: string; message: string; upstreamMessage: string | null; column: string | null } | null;
}

export interface Report {
  manifest: string;
  gateway: string;
  startedAt: string;
  /** Null while the command runs, and after it was killed. */
  finishedAt: string | null;
  /** Also RUNNING after a kill. The same command resumes from any state. */
  state: 'RUNNING' | 'FINISHED' | 'INTERRUPTED' | 'STOPPED';
  counts: { records: number; issued: number; failed: number; open: number };
  records: ReportedRecord[];
}

/** The report of a run, written to its file as records get their outcomes. */
export class IssueReport {
  readonly path: string;
  readonly #headers: readonly string[];
  readonly #records: ReadonlyMap<Draft, ReportedRecord>;
  #writtenAt = 0;
  readonly #startedAt = new Date().toISOString();
  readonly #about: Pick<Report, 'manifest' | 'gateway'>;

  /** @throws UsageError when the file exists and is not a report */
  constructor({ path: manifest, headers, drafts }: Manifest, gateway: string, path: string) {
    assertReplaceable(path);
    this.path = path;
    this.#headers = headers;
    this.#about = { manifest, gateway: new URL(gateway).origin };
    this.#records = new Map(
      drafts.map((draft): [Draft, ReportedRecord] => {
        const { where, externalId } = draft;
        return [draft, { where, externalId, ...initialOutcome }];
      }),
    );
  }

  recordOf(draft: Draft): ReportedRecord {
    return this.#records.get(draft) as ReportedRecord;
  }

  /** Stores the outcomes of these records. The issuance may hold other records too. */
  settle(drafts: readonly Draft[], { entries, error, requestId }: FinalIssuance): void {
    const byId = new Map(entries.map((entry) => [entry.externalId, entry]));
    for (const draft of drafts) {
      const entry = byId.get(draft.externalId);
      if (!entry) continue;
      const { status, srr } = entry;
      const fault = entry.error ?? (status === 'ISSUED' ? null : error);
      Object.assign(this.recordOf(draft), {
        status,
        requestId,
        tokenId: srr?.tokenId ?? null,
        contractAddress: srr?.contractAddress ?? null,
        metadataCID: srr?.metadataCID ?? null,
        error: fault && this.#reportedError(draft, fault),
      });
    }
    this.#writeThrottled();
  }

  /** Stores that the gateway refused a batch, so none of it was issued. Returns the reason, with its row. */
  refuse(drafts: readonly Draft[], requestId: string | null, gatewayFaults: readonly Fault[]): string {
    const faults = gatewayFaults.map((fault) => ({ ...fault, message: inRows(fault.message, drafts) }));
    const own = drafts.map((draft, i) =>
      faults.find(({ path, externalId }) =>
        externalId == null ? splitPath(path).index === i : externalId === draft.externalId,
      ),
    );
    return this.#refuse(drafts, requestId, own, faults[0]?.message);
  }

  /** Stores that the service refused a file, so none of its batch was issued. */
  refuseFile(drafts: readonly Draft[], requestId: string, { file, code, message }: FileRefusedError): string {
    const own = drafts.map((draft) =>
      filesOf([draft]).some(({ key }) => key === file.key) ? { code, message } : undefined,
    );
    return this.#refuse(drafts, requestId, own);
  }

  /** `own` has each record's fault, if any; `common` is the message for a batch in which no record has one. */
  #refuse(
    drafts: readonly Draft[],
    requestId: string | null,
    own: readonly (Fault | undefined)[],
    common = '',
  ): string {
    const first = own.findIndex(Boolean);
    const reason = first < 0 ? common : `${drafts[first]?.where}: ${own[first]?.message}`;
    const other = {
      code: 'SRR_NOT_CREATED',
      message: `Not issued, because its batch was refused: ${reason}`,
    };
    for (const [i, draft] of drafts.entries()) this.fail(draft, requestId, own[i] ?? other);
    this.#writeThrottled();
    return reason;
  }

  fail(draft: Draft, requestId: string | null, fault: Fault): void {
    Object.assign(this.recordOf(draft), {
      status: 'REFUSED',
      requestId,
      error: this.#reportedError(draft, fault),
    });
  }

  /** Writes at most once a second: a report of many records is large. */
  #writeThrottled(): void {
    if (Date.now() - this.#writtenAt > 1_000) this.write('RUNNING');
  }

  /** @throws UsageError when the first write fails, before anything is sent, and FailedError when a later one does */
  write(state: Report['state']): Report {
    const records = [...this.#records.values()];
    const issued = records.filter(({ status }) => status === 'ISSUED').length;
    const failed = records.filter(({ status }) => /^(FAILED|CANCELLED|REFUSED)$/.test(status)).length;
    const report: Report = {
      ...this.#about,
      startedAt: this.#startedAt,
      finishedAt: state === 'RUNNING' ? null : new Date().toISOString(),
      state,
      counts: { records: records.length, issued, failed, open: records.length - issued - failed },
      records,
    };
    try {
      // Rename a finished file, so that a kill leaves no half-written report. Each process has its own.
      const unfinished = `${this.path}.${process.pid}.tmp`;
      writeFileSync(unfinished, `${JSON.stringify(report, null, 2)}\n`);
      renameSync(unfinished, this.path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const message = `The report ${this.path} cannot be written (${code}). Choose another place: --report.`;
      // After the first write, records may have been sent.
      throw this.#writtenAt === 0 ? new UsageError(message) : new FailedError(message);
    }
    this.#writtenAt = Date.now();
    return report;
  }

  #reportedError(
    { entry }: Draft,
    { code, message, path, upstreamMessage = null }: Fault,
  ): NonNullable<ReportedRecord['error']> {
    const column = columnAt(splitPath(path).inEntry, this.#headers, entry) ?? null;
    return { code, message, upstreamMessage, column };
  }
}

/** Refuses to overwrite anything but a report: a slip of the user could cost the manifest, or a picture. */
function assertReplaceable(path: string): void {
  let text = '';
  try {
    // Reading a pipe or a device may never end.
    if (statSync(path).isFile()) text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    throw new UsageError(`The report ${path} cannot be written (${code}). Choose another place: --report.`);
  }
  if (!isReport(text))
    throw new UsageError(`${path} exists and is not a report. Choose another place: --report.`);
}

function isReport(text: string): boolean {
  try {
    const { state, records } = JSON.parse(text);
    return typeof state === 'string' && Array.isArray(records);
  } catch {
    return false;
  }
}

const initialOutcome = {
  status: 'NEW',
  requestId: null,
  tokenId: null,
  contractAddress: null,
  metadataCID: null,
  error: null,
};

/** A line for people about a record that was not issued. */
export function faultLine(manifest: string, { where, externalId, status, error }: ReportedRecord): string {
  const column = error?.column ? `, column "${error.column}"` : '';
  return `${manifest}: ${where}${column}: ${externalId} ${status}${error ? `: ${faultText(error)}` : ''}`;
}
