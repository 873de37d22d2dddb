import type { Address } from '../../../lib/address.ts';
import { ServiceError } from '../../http/service-error.ts';
import { type FileLocation, isPublic, parseFinalUrl } from '../../storage/file-location.ts';
import type { Storage, StoredFile } from '../../storage/storage.ts';
import type { Category } from '../../store/tables.ts';
import type { IssueEntry } from '../body/issue-request.ts';
import { requestMessages } from '../messages.ts';
import { fileFields, readMetadataFile } from '../metadata/files.ts';

/** A stored file that an entry refers to. */
interface Reference {
  role: 'metadata' | 'attachment';
  url: string;
  location: FileLocation;
  /** The category that the reference counts on. */
  category: Category;
  /** `[<externalId>] <field>: <url>`, as the service names it in messages. */
  label: string;
}

/** The stored files behind the URLs of a request. */
export type ReferencedFiles = ReadonlyMap<string, StoredFile>;

/**
 * Finds every file that the entries refer to and applies the document's rules 1 to 3, in this order: host,
 * public category, present, ready. Throws the 400 of the first rule that any file breaks, naming all of
 * the files that break it.
 */
export async function findReferencedFiles(
  storage: Storage,
  origin: string,
  issuer: Address,
  entries: IssueEntry[],
): Promise<ReferencedFiles> {
  const { references, foreign } = readReferences(origin, entries);
  refuse(foreign, requestMessages.fileUrlNotAllowed);
  const metadata = references.filter(({ role }) => role === 'metadata');
  const attachments = references.filter(({ role }) => role === 'attachment');
  refuse(
    labels(metadata.filter(({ location }) => !isPublic(location.category))),
    requestMessages.fileNotPublic,
  );

  const files = await lookUp(storage, issuer, references);
  const missing = ({ url, category, location }: Reference) =>
    !files.has(url) || category !== location.category;
  refuse(labels(metadata.filter(missing)), requestMessages.metadataFileNotFound);
  refuse(
    labels(metadata.filter(({ url }) => files.get(url)?.cid === null)),
    requestMessages.metadataFileNotReady,
  );
  refuse(labels(attachments.filter(missing)), requestMessages.attachmentNotFound);
  const unready = attachments.find(({ url }) => files.get(url)?.hash === null);
  if (unready) throw new ServiceError(400, requestMessages.attachmentNotReady(unready.url));
  return files;
}

function readReferences(origin: string, entries: IssueEntry[]) {
  const references: Reference[] = [];
  const foreign: string[] = [];
  for (const { externalId, metadata, attachmentFiles } of entries) {
    for (const { field, url } of fileFields(metadata)) {
      const label = `[${externalId}] ${field}: ${url}`;
      const file = readMetadataFile(origin, url);
      if (file === undefined) foreign.push(label);
      if (file?.kind === 'stored') {
        const { location } = file;
        references.push({ role: 'metadata', url, location, category: location.category, label });
      }
    }
    for (const [index, { url, category }] of attachmentFiles.entries()) {
      const label = `[${externalId}] attachmentFiles.${index}.url: ${url}`;
      const location = parseFinalUrl(origin, url);
      if (location === undefined) foreign.push(label);
      else references.push({ role: 'attachment', url, location, category, label });
    }
  }
  return { references, foreign };
}

/**
 * A file counts as found when it is the caller's own and was uploaded under the category of its URL. An
 * attachment is looked for under the category that its entry gives.
 */
async function lookUp(storage: Storage, issuer: Address, references: Reference[]): Promise<ReferencedFiles> {
  const own = references.filter(({ location }) => location.issuer === issuer);
  const files = await storage.findAll(
    issuer,
    own.map(({ location }) => location.filename),
  );
  const found = new Map<string, StoredFile>();
  for (const { url, location } of own) {
    const file = files.get(location.filename);
    if (file?.category === location.category) found.set(url, file);
  }
  return found;
}

function labels(references: Reference[]): string[] {
  return references.map(({ label }) => label);
}

function refuse(files: string[], message: (files: string[]) => string): void {
  if (files.length > 0) throw new ServiceError(400, message(files));
}
