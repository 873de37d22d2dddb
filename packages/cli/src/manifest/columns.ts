import type { FileCategory } from '@srr-gateway/client';

export type Kind =
  | 'text'
  | 'yesNo'
  | 'number'
  | 'wholeNumber'
  | 'languages'
  | 'list'
  | 'file'
  | 'attachments';

/** A column of a manifest. One of kind `languages` is a column for each language: `title.en`. */
export interface Column {
  name: string;
  kind: Kind;
  /** The path of its value in an IssueEntryInput. */
  path: readonly string[];
  required?: true;
  category?: FileCategory;
}

const own = (name: string, kind: Kind, required?: true): Column => ({
  name,
  kind,
  path: [name],
  ...(required && { required }),
});

const metadata = (name: string, kind: Kind, required?: true): Column => ({
  name,
  kind,
  path: ['metadata', ...name.split('.')],
  ...(required && { required }),
});

const attached = (name: string, category: FileCategory): Column => ({
  name: `attachments.${name}`,
  kind: 'attachments',
  path: ['attachments'],
  category,
});

/** Every column, in the order of README.md. Their names are those of `IssueEntryInput` and its metadata. */
export const columns: readonly Column[] = [
  own('externalId', 'text', true),
  own('artistAddress', 'text', true),
  own('isPrimaryIssuer', 'yesNo', true),
  own('lockExternalTransfer', 'yesNo', true),
  own('collectionAddress', 'text'),
  own('to', 'text'),
  metadata('name', 'text', true),
  metadata('title', 'languages', true),
  metadata('medium', 'languages', true),
  metadata('yearOfCreation', 'languages', true),
  metadata('note', 'languages'),
  metadata('description', 'text'),
  metadata('externalUrl', 'text'),
  metadata('isDigital', 'yesNo'),
  metadata('chipUIDs', 'list'),
  metadata('size.height', 'number'),
  metadata('size.width', 'number'),
  metadata('size.depth', 'number'),
  metadata('size.unit', 'text'),
  metadata('size.flexibleDescription', 'languages'),
  metadata('edition.number', 'wholeNumber'),
  metadata('edition.totalNumber', 'wholeNumber'),
  metadata('edition.uniqueness', 'text'),
  metadata('edition.proofType', 'text'),
  metadata('edition.note', 'languages'),
  metadata('contractTerms.royaltyRate', 'number'),
  { ...metadata('contractTerms.file', 'file'), category: 'NON_ATTACHMENT_FILE' },
  metadata('schemaVersion', 'text'),
  { ...metadata('image', 'file', true), category: 'NON_ATTACHMENT_FILE' },
  { ...metadata('thumbnail', 'file'), category: 'NON_ATTACHMENT_FILE' },
  attached('artwork', 'ARTWORK'),
  attached('certificate', 'CERTIFICATE'),
  attached('forAuthenticity', 'FOR_AUTHENTICITY'),
  attached('installation', 'INSTALLATION'),
];

/** The column of a header: `title.en` is the column `title` in English. */
export function columnOf(header: string): { column: Column; language?: string } | undefined {
  const plain = columns.find(({ name, kind }) => name === header && kind !== 'languages');
  if (plain) return { column: plain };
  const dot = header.lastIndexOf('.');
  const column = columns.find(({ name, kind }) => name === header.slice(0, dot) && kind === 'languages');
  const language = header.slice(dot + 1);
  return column && /^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*$/.test(language) ? { column, language } : undefined;
}

/** The header of a column. For one in several languages it is the English one. */
const headerOf = ({ name, kind }: Column) => (kind === 'languages' ? `${name}.en` : name);

/** Header names to suggest. */
export const headerNames: readonly string[] = columns.map(headerOf);

/** The headers of the required columns that are not among these. */
export function missingHeaders(headers: Iterable<string>): string[] {
  const there = new Set([...headers].map((header) => columnOf(header)?.column));
  return columns.filter((column) => column.required && !there.has(column)).map(headerOf);
}

/** The column that a fault of the gateway is about, by the path below the entry. */
export function columnAt(
  path: readonly (string | number)[],
  headers: readonly string[],
  entry: object = {},
): string | undefined {
  // All columns of attachments have one path: the category of the attachment tells them apart.
  const { attachments = [] } = entry as { attachments?: { category: FileCategory }[] };
  const attachment = path[0] === 'attachments' ? attachments[Number(path[1])] : undefined;
  if (attachment)
    return columns.find(({ kind, category }) => kind === 'attachments' && category === attachment.category)
      ?.name;
  const names = path.map(String);
  // Without a column "thumbnail", the thumbnail is the image.
  if (names[1] === 'thumbnail' && !headers.includes('thumbnail')) names[1] = 'image';
  if (names.length === 0) return undefined;
  const fits = (header: string) => {
    const found = columnOf(header);
    if (!found) return -1;
    const own = [...found.column.path, ...(found.language ? [found.language] : [])];
    const shared = own.findIndex((step, i) => step !== names[i]);
    const length = shared < 0 ? own.length : shared;
    // The fault is about the whole column, or about something that the column is a part of.
    return length === own.length || length === names.length ? length : -1;
  };
  const [best] = headers
    .map((header) => ({ header, length: fits(header) }))
    .sort((a, b) => b.length - a.length);
  return best && best.length > 0 ? best.header : undefined;
}

/**
 * Splits the path of a fault, such as `input.entries.3.metadata.title`, into the entry's index and the path within it.
 */
export function splitPath(path: readonly (string | number)[] | null | undefined): {
  index: number | undefined;
  inEntry: readonly (string | number)[];
} {
  const entries = path?.indexOf('entries') ?? -1;
  if (!path || entries < 0) return { index: undefined, inEntry: path ?? [] };
  return { index: Number(path[entries + 1]), inEntry: path.slice(entries + 2) };
}

/** Replaces "entry 3" in a message of the gateway by the row of the manifest. */
export const inRows = (message: string, rows: readonly { where: string }[]): string =>
  message.replace(/\bentry (\d+)\b/g, (entry, index) => rows[index]?.where ?? entry);
