import { basename } from 'node:path';
import type { FileRefInput } from '@srr-gateway/client';
import { type Column, columnOf, missingHeaders } from './columns.ts';
import { faultOf, LocalFile } from './local-file.ts';
import type { Cells } from './read-cells.ts';

/** A record of the manifest: an IssueEntryInput whose files are still on this machine. */
export interface Draft {
  where: string;
  externalId: string;
  entry: Record<string, unknown>;
  faults: readonly string[];
}

/** Reads the cells of one record by their columns. */
export function draftOf({ where, values }: Cells, folder: string): Draft {
  const entry: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [header, text] of values) {
    const { column, language } = columnOf(header) as { column: Column; language?: string };
    try {
      const value = readCell(column, text, folder);
      if (column.kind === 'attachments') entry.attachments = [...listAt(entry), ...(value as object[])];
      else put(entry, language ? [...column.path, language] : column.path, value);
    } catch (error) {
      if (!(error instanceof CellFault)) throw error;
      faults.push(`${where}, column "${header}": ${error.message}`);
    }
  }
  for (const name of missingHeaders(values.keys())) faults.push(`${where}, column "${name}": is empty.`);
  const metadata = (entry.metadata ?? {}) as Record<string, unknown>;
  metadata.thumbnail ??= metadata.image;
  return { where, externalId: values.get('externalId') ?? '', entry, faults };
}

class CellFault extends Error {}

const listAt = ({ attachments }: Record<string, unknown>) => (attachments as object[] | undefined) ?? [];

function put(into: Record<string, unknown>, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    into[first] = value;
    return;
  }
  into[first] ??= {};
  put(into[first] as Record<string, unknown>, rest, value);
}

function readCell(column: Column, text: string, folder: string): unknown {
  // The gateway would refuse the lookup of earlier entries, without a row in its error.
  if (text.includes('\0')) throw new CellFault('has a NUL character, which no stored text can have.');
  if (!text.isWellFormed())
    throw new CellFault('has half of a surrogate pair, which no stored text can have.');
  switch (column.kind) {
    case 'text':
    case 'languages':
      return text;
    case 'yesNo':
      if (/^(true|yes|1)$/i.test(text)) return true;
      if (/^(false|no|0)$/i.test(text)) return false;
      throw new CellFault(`"${text}" must be yes or no.`);
    case 'number':
      return numberIn(text, false);
    case 'wholeNumber':
      return numberIn(text, true);
    case 'list':
      return itemsOf(text);
    case 'file':
      return fileOf(column, text, folder);
    case 'attachments':
      return itemsOf(text).map((item) => ({
        name: basename(item.replaceAll('\\', '/')),
        category: column.category,
        file: fileOf(column, item, folder),
      }));
  }
}

function numberIn(text: string, whole: boolean): number {
  // 1,000 is a thousand in some countries and one in others, and for whole numbers so is 1.000.
  if ((whole ? /^-?\d{1,3}([.,]\d{3})+$/ : /^-?\d{1,3}(,\d{3})+$/).test(text))
    throw new CellFault(
      `"${text}" can be read in two ways. Write it without ${whole ? 'separators' : 'a comma, or with a point'}.`,
    );
  // Spreadsheets of many countries write 12,5. Where one writes 1E+12, it has rounded.
  const number = /^-?\d+([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN;
  if (!Number.isFinite(number))
    throw new CellFault(`"${text}" is not a number. Write digits, such as ${whole ? '12' : '12.5 or 12,5'}.`);
  if (whole && !Number.isInteger(number)) throw new CellFault(`"${text}" is not a whole number.`);
  return number;
}

/** Splits a cell that holds several values. */
const itemsOf = (text: string) =>
  text
    .split('|')
    .map((item) => item.trim())
    .filter((item) => item !== '');

function fileOf({ category }: Column, text: string, folder: string): LocalFile | FileRefInput {
  if (text.startsWith('ipfs://')) return { ipfs: text };
  if (/^https?:\/\//.test(text)) return { finalUrl: text };
  const path = text.replaceAll('\\', '/');
  const fault = faultOf(folder, path);
  if (fault) throw new CellFault(fault);
  return new LocalFile(`${folder}/${path}`, category ?? 'NON_ATTACHMENT_FILE');
}

/** The entry with each file replaced by `refer(file)`. */
export function withFiles(value: unknown, refer: (file: LocalFile) => unknown): unknown {
  if (value instanceof LocalFile) return refer(value);
  if (Array.isArray(value)) return value.map((item) => withFiles(item, refer));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withFiles(inner, refer)]));
}

/** The files of records, each once. */
export function filesOf(drafts: readonly Draft[]): LocalFile[] {
  const files = new Map<string, LocalFile>();
  for (const { entry } of drafts)
    withFiles(entry, (file) => void (files.has(file.key) || files.set(file.key, file)));
  return [...files.values()];
}
