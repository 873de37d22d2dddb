import { type Address, parseAddress } from '../../../lib/address.ts';
import { ServiceError } from '../../http/service-error.ts';
import { type Category, categories } from '../../store/tables.ts';
import { requestMessages } from '../messages.ts';
import { isRecord, Problems } from './problems.ts';

export type AttachmentCategory = Exclude<Category, 'non_attachment_file'>;

export interface Attachment {
  name: string;
  category: AttachmentCategory;
  url: string;
}

export interface IssueEntry {
  externalId: string;
  metadata: Record<string, unknown>;
  artistAddress: Address;
  isPrimaryIssuer: boolean;
  lockExternalTransfer: boolean;
  to: Address | undefined;
  collectionAddress: Address | undefined;
  attachmentFiles: Attachment[];
  /** The first of the deprecated `externalUrls`. */
  externalUrl: string | undefined;
}

export interface IssueRequest {
  requestId: string | undefined;
  entries: IssueEntry[];
  /** As it came: what makes two requests the same content. */
  payload: unknown;
}

const attachmentCategories = categories.filter((category) => category !== 'non_attachment_file');
const noAddress: Address = '0x0000000000000000000000000000000000000000';

/** Reads the body of `POST /srrs`; everything but the metadata's own schema is checked here. */
export function readIssueRequest(body: unknown): IssueRequest {
  const problems = new Problems();
  const { requestId, payload } = isRecord(body) ? body : {};
  const id = problems.optionalText(requestId, 'requestId');
  const list = problems.list(payload, 'payload');
  if (Array.isArray(payload) && list.length === 0) problems.add('payload should not be empty');
  const entries = list.map((item, index) => readEntry(item, `payload.${index}`, problems));
  problems.throwIfAny();
  if (list.some((item) => (item as { metadata?: unknown }).metadata == null))
    throw new ServiceError(400, requestMessages.metadataMissing);
  return { requestId: id, entries, payload };
}

function readEntry(item: unknown, at: string, problems: Problems): IssueEntry {
  const entry = problems.record(item, at);
  return {
    externalId: problems.text(entry.externalId, `${at}.externalId`),
    metadata: entry.metadata == null ? {} : problems.record(entry.metadata, `${at}.metadata`),
    artistAddress: readAddress(entry.artistAddress, `${at}.artistAddress`, problems),
    isPrimaryIssuer: problems.flag(entry.isPrimaryIssuer, `${at}.isPrimaryIssuer`),
    lockExternalTransfer: problems.flag(entry.lockExternalTransfer, `${at}.lockExternalTransfer`),
    to: entry.to == null ? undefined : readAddress(entry.to, `${at}.to`, problems),
    collectionAddress:
      entry.collectionAddress == null
        ? undefined
        : readAddress(entry.collectionAddress, `${at}.collectionAddress`, problems),
    attachmentFiles:
      entry.attachmentFiles == null
        ? []
        : problems
            .list(entry.attachmentFiles, `${at}.attachmentFiles`)
            .map((file, index) => readAttachment(file, `${at}.attachmentFiles.${index}`, problems)),
    externalUrl: readExternalUrls(entry.externalUrls, at, problems),
  };
}

function readAttachment(item: unknown, at: string, problems: Problems): Attachment {
  const { name, category, url } = problems.record(item, at);
  const known = attachmentCategories.find((allowed) => allowed === category);
  if (known === undefined)
    problems.add(`${at}.category must be one of the following values: ${attachmentCategories.join(',')}`);
  return {
    name: problems.text(name, `${at}.name`),
    category: known ?? 'artwork',
    url: problems.text(url, `${at}.url`),
  };
}

function readExternalUrls(value: unknown, at: string, problems: Problems): string | undefined {
  if (value == null) return undefined;
  const urls = problems.list(value, `${at}.externalUrls`);
  if (urls.some((url) => typeof url !== 'string'))
    problems.add(`${at}.each value in externalUrls must be a string`);
  return typeof urls[0] === 'string' ? urls[0] : undefined;
}

function readAddress(value: unknown, at: string, problems: Problems): Address {
  const address = typeof value === 'string' ? parseAddress(value) : undefined;
  if (address === undefined) problems.add(`${at} must be a valid Ethereum addresses`);
  return address ?? noAddress;
}
