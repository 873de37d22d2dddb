import type { Address } from '@srr-gateway/common/address';
import { requestMessages } from '../../http/messages.ts';
import { ServiceError } from '../../http/service-error.ts';
import {
  type FileLocation,
  isPublic,
  parseFinalUrl,
  parseProvisionedUrl,
} from '../../storage/file-location.ts';
import type { Storage, StoredFile } from '../../storage/storage.ts';
import type { Category } from '../../store/tables.ts';
import type { IssueEntry } from '../body/issue-request.ts';
import { fileFields, readMetadataFile } from '../metadata/files.ts';

/** What a URL says about its file: its location, or the id of a file that the operator provisioned. */
type Place = FileLocation | { provisioned: string };

/** A stored file that an entry refers to. */
interface Reference {
  role: 'metadata' | 'attachment';
  url: string;
  place: Place;
  /** The category that the file must have. */
  category: Category;
  /** `[<externalId>] <field>: <url>`, as the service names it in messages. */
  label: string;
}

/** The stored files of a request, by URL. */
export type ReferencedFiles = ReadonlyMap<string, StoredFile>;

/**
 * Finds every file that the entries refer to and applies the document's rules 1 to 3 in this order: host,
 * public category, present, ready. Throws the 400 of the first rule that is broken. It names all files that
 * break the rule; only for attachments without a hash does it name the first alone.
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
  refuse(labels(metadata.filter(({ category }) => !isPublic(category))), requestMessages.fileNotPublic);

  const files = await lookUp(storage, issuer, references);
  const missing = ({ url, category }: Reference) => files.get(url)?.category !== category;
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
        references.push({ role: 'metadata', url, place: location, category: location.category, label });
      }
    }
    for (const [index, { url, category }] of attachmentFiles.entries()) {
      const label = `[${externalId}] attachmentFiles.${index}.url: ${url}`;
      const place = attachmentPlace(origin, url);
      if (place === undefined) foreign.push(label);
      else references.push({ role: 'attachment', url, place, category, label });
    }
  }
  return { references, foreign };
}

/** For attachments the document accepts a finalUrl "or a service-provisioned URL". */
function attachmentPlace(origin: string, url: string): Place | undefined {
  const provisioned = parseProvisionedUrl(origin, url);
  return provisioned === undefined ? parseFinalUrl(origin, url) : { provisioned };
}

/**
 * A file counts as found when it belongs to the caller and was uploaded under the category in its URL. The
 * caller of this function compares that category with the one that an attachment's entry gives.
 */
async function lookUp(storage: Storage, issuer: Address, references: Reference[]): Promise<ReferencedFiles> {
  const named = references.flatMap(({ url, place }) =>
    'filename' in place && place.issuer === issuer ? [{ url, ...place }] : [],
  );
  const provisioned = references.flatMap(({ url, place }) =>
    'provisioned' in place ? [{ url, id: place.provisioned }] : [],
  );
  const byName = await storage.findAll(
    issuer,
    named.map(({ filename }) => filename),
  );
  const byId = await storage.findByIds(
    issuer,
    provisioned.map(({ id }) => id),
  );
  const found = new Map<string, StoredFile>();
  for (const { url, filename, category } of named) {
    const file = byName.get(filename);
    if (file?.category === category) found.set(url, file);
  }
  for (const { url, id } of provisioned) {
    const file = byId.get(id);
    if (file) found.set(url, file);
  }
  return found;
}

function labels(references: Reference[]): string[] {
  return references.map(({ label }) => label);
}

function refuse(files: string[], message: (files: string[]) => string): void {
  if (files.length > 0) throw new ServiceError(400, message(files));
}
