import {
  type Commerce,
  type Credentials,
  type FileState,
  statusOfFile,
} from '../../clients/commerce/commerce.ts';
import { parseIpfsReference } from '../../clients/ipfs/reference.ts';
import type { Fault } from '../../model/errors.ts';
import { type FileKey, fileKeyText, uniqueFiles } from '../../model/file.ts';
import { filenameFaults } from '../../model/filename.ts';
import { filesNamed } from '../files/file-references.ts';
import type { EntryInput, FileRef } from '../input.ts';
import { type Findings, nothingFound, orNotChecked } from './findings.ts';

/** Asks the service in one call whether the files that entries name are stored and ready. */
export async function checkFiles(
  { commerce, keyOf }: { commerce: Pick<Commerce, 'fileMetadata'>; keyOf(url: string): FileKey | undefined },
  request: { credentials: Credentials; entries: EntryInput[]; faults: Fault[][] },
  signal?: AbortSignal,
): Promise<Findings> {
  const { credentials, entries, faults } = request;
  // Skip a reference that has a fault already.
  const references = entries.map((entry, i) =>
    filesNamed(entry).filter(({ path }) => !isFaulty(path, faults[i] ?? [])),
  );
  const foreign = references.map((files) =>
    files.filter(({ ref }) => isForeign(ref, keyOf)).map(({ path }) => notKnown(path)),
  );
  const filesByEntry = references.map((files) =>
    files.flatMap(({ ref, path }) => {
      const key = keyOfRef(ref, keyOf);
      return key ? [{ key, path }] : [];
    }),
  );
  const keys = uniqueFiles(filesByEntry.flat().map(({ key }) => key));
  if (keys.length === 0) return { ...nothingFound, warnings: foreign };
  const result = await orNotChecked(
    'The files',
    (live) => commerce.fileMetadata(credentials, keys, live),
    signal,
  );
  if ('warning' in result)
    return { ...nothingFound, warnings: foreign, ofAll: { faults: [], warnings: [result.warning] } };
  const states = new Map(keys.map((key, i) => [fileKeyText(key), result.answer[i] as FileState]));
  const findings = filesByEntry.map((files) =>
    files.map(({ key, path }) => ({ path, key, state: states.get(fileKeyText(key)) as FileState })),
  );
  return {
    ...nothingFound,
    faults: findings.map((files) => files.filter(({ state }) => state.missing).map(missing)),
    warnings: findings.map((files, i) => [...(foreign[i] ?? []), ...files.flatMap(notReady)]),
  };
}

/**
 * The key of a file reference; undefined for an address that the gateway did not sign. The service finds files only
 * by name and category.
 */
function keyOfRef(ref: FileRef, keyOf: (url: string) => FileKey | undefined): FileKey | undefined {
  const key = ref.kind === 'key' ? ref.key : ref.kind === 'finalUrl' ? keyOf(ref.url) : undefined;
  return key && filenameFaults(key.filename, []).length === 0 ? key : undefined;
}

/** Whether a reference is an address that is neither IPFS content nor one that the gateway signed. */
const isForeign = (ref: FileRef, keyOf: (url: string) => FileKey | undefined): boolean =>
  ref.kind === 'finalUrl' && parseIpfsReference(ref.url) === undefined && keyOf(ref.url) === undefined;

const notKnown = (path: string[]): Fault => ({
  code: 'FILE_URL_NOT_ALLOWED',
  message:
    'The gateway did not sign this address, so the file was not checked. The service refuses addresses other than its own finalUrls.',
  path,
});

/**
 * Whether this file has a fault already. For an attachment any fault counts, in the metadata only one at its path.
 */
function isFaulty(path: string[], faults: Fault[]): boolean {
  const below = path[0] === 'attachments' ? path.slice(0, 2) : path;
  // These paths begin with "input", "entries" and an index.
  return faults.some((fault) => below.every((name, i) => fault.path?.[i + 3] === name));
}

interface Finding {
  path: string[];
  key: FileKey;
  state: FileState;
}

const isAttachment = ({ path }: Finding) => path[0] === 'attachments';

function missing(finding: Finding): Fault {
  const { filename, category } = finding.key;
  return {
    code: isAttachment(finding) ? 'ATTACHMENT_NOT_FOUND' : 'FILE_NOT_FOUND',
    message: `The service has no ${category} file "${filename.slice(0, 200)}". Upload its bytes first.`,
    path: finding.path,
  };
}

/** The warning of a file that is not ready. */
function notReady(finding: Finding): Fault[] {
  const { state, path, key } = finding;
  if (state.missing || !(isUnready(finding) || statusOfFile(state) === 'FAILED')) return [];
  const { message } = state;
  const [code, text] = codeAndMessage(finding, `"${key.filename.slice(0, 200)}"`);
  const isWait = message === undefined || message === 'HASH_STILL_IN_CALCULATION';
  return [{ code, message: text, path, ...(!isWait && { upstreamMessage: message }) }];
}

/** An attachment needs its hash. A file that the metadata names is published, so it needs its CID. */
const isUnready = (finding: Finding) =>
  (isAttachment(finding) ? finding.state.hash : finding.state.cid) === undefined;

function codeAndMessage(finding: Finding, name: string): [Fault['code'], string] {
  const { state } = finding;
  const code = isAttachment(finding) ? 'ATTACHMENT_NOT_READY' : 'FILE_NOT_READY';
  if (statusOfFile(state) !== 'FAILED')
    return [code, `The service still calculates the hash and CID of ${name}. issueSRRs waits for them.`];
  // If it stays so, `waitFault` rejects the issuance with the same advice.
  return state.inaccessible
    ? [
        'FORBIDDEN',
        `The service says that ${name} cannot be accessed by this issuer. Name a file of the issuer.`,
      ]
    : [code, `The service has a problem with ${name}. Upload the content again under another name.`];
}
