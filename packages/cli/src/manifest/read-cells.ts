import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { UsageError } from '../lib/exit-codes.ts';
import { columnOf } from './columns.ts';

/** A record of the manifest: text by header, without empty cells. */
export interface Cells {
  /** Where a person finds it: the row of a spreadsheet, counting the headers, or the record of a list. */
  where: string;
  values: ReadonlyMap<string, string>;
}

export interface Table {
  headers: readonly string[];
  rows: readonly Cells[];
}

/** Reads a manifest. @throws UsageError when the file is not a manifest at all */
export function readCells(path: string): Table {
  const text = textOf(path);
  if (/\.json$/i.test(path)) return fromJson(path, text);
  if (/\.csv$/i.test(path)) return fromCsv(path, text);
  throw new UsageError(`${path}: a manifest is a .csv or a .json file.`);
}

function textOf(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read (${code}).`,
    );
  }
  try {
    // Removes the byte order mark that spreadsheets write.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${path}: is not UTF-8. Save it as "CSV UTF-8".`);
  }
}

/** Faults printed: a screen or two. The first ones usually cause the others. */
const shownFaults = 50;

/** @throws UsageError when there are faults */
export function throwFaults(path: string, faults: readonly string[]): void {
  if (faults.length === 0) return;
  const shown = faults.slice(0, shownFaults).map((fault) => `${path}: ${fault}`);
  const more = faults.length - shown.length;
  throw new UsageError(...shown, ...(more > 0 ? [`… and ${more} more.`] : []));
}

/** A first line that tells Excel the separator. Excel does not show it, so it does not count as a row. */
const separatorLine = /^sep=([,;\t])\1*\r?\n/i;

function fromCsv(path: string, content: string): Table {
  const [line = '', separator] = separatorLine.exec(content) ?? [];
  const text = content.slice(line.length);
  let lines: string[][];
  try {
    lines = parse(text, {
      delimiter: separator ?? delimiterOf(text),
      // By default all lines must end as the first one does. One that another program added may not.
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
    }) as string[][];
  } catch (error) {
    throw new UsageError(`${path}: is not well-formed CSV. ${(error as Error).message}`);
  }
  const headers = (lines[0] ?? []).map((header) => header.trim());
  // Spreadsheets also save empty columns at the right.
  while (headers.at(-1) === '') headers.pop();
  if (headers.length === 0 && lines.length > 1) throwFaults(path, ['row 1 must have the headers.']);
  const faults = lines.flatMap((cells, i) =>
    cells.slice(headers.length).some((cell) => cell.trim() !== '')
      ? [`row ${i + 1} has more cells than there are headers. Quote cells that hold the separator.`]
      : [],
  );
  throwFaults(path, faults);
  const rows = lines.slice(1).map((cells, i) => ({
    where: `row ${i + 2}`,
    values: valuesOf(headers.map((header, at) => [header, cells[at] ?? ''])),
  }));
  return { headers, rows: rows.filter(({ values }) => values.size > 0) };
}

/** No header holds a comma, a semicolon or a tab, so the first one is the separator of this spreadsheet. */
const delimiterOf = (text: string): string => /[,;\t]/.exec(text.split('\n', 1)[0] ?? '')?.[0] ?? ',';

function fromJson(path: string, text: string): Table {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path}: is not well-formed JSON. ${(error as Error).message}`);
  }
  if (!Array.isArray(parsed)) throw new UsageError(`${path}: must be a list of records: [{…}, {…}].`);
  const rows = parsed.map((record, i) => {
    if (typeof record !== 'object' || record === null || Array.isArray(record))
      throw new UsageError(`${path}: record ${i + 1} must be an object.`);
    const where = `record ${i + 1}`;
    const leaves = leavesOf(record, `${path}: ${where}`);
    const names = leaves.map(([name]) => name);
    const repeated = names.find((name, at) => names.indexOf(name) < at);
    if (repeated !== undefined)
      throw new UsageError(`${path}: ${where}, column "${repeated}": appears twice, nested and flat.`);
    return { where, values: valuesOf(leaves) };
  });
  return { headers: [...new Set(rows.flatMap(({ values }) => [...values.keys()]))], rows };
}

/** Longer than the name of any column. Much deeper nesting would exhaust the stack. */
const longestName = 200;

/** `{title: {en: "…"}}` is the column `title.en`, and a list is the cell with its items. */
function leavesOf(record: object, where: string, prefix = ''): [string, string][] {
  return Object.entries(record).flatMap(([name, value]): [string, string][] => {
    if (value === null) return [];
    const column = prefix + name;
    if (Array.isArray(value)) return [[column, listText(value, where, column)]];
    if (typeof value === 'object' && column.length < longestName) return leavesOf(value, where, `${column}.`);
    return [[column, exactText(value, where, column)]];
  });
}

function listText(items: readonly unknown[], where: string, column: string): string {
  const kind = columnOf(column)?.column.kind;
  // Joined, a list of names would be one name with a bar in it, and an issued record cannot be changed.
  if (kind !== undefined && kind !== 'list' && kind !== 'attachments')
    throw new UsageError(`${where}, ${column}: must be one value, not a list.`);
  return items.map((item) => itemText(item, where, column)).join('|');
}

function itemText(value: unknown, where: string, column: string): string {
  const text = typeof value === 'object' ? '|' : exactText(value, where, column);
  if (text.includes('|'))
    throw new UsageError(`${where}, ${column}: an item of the list must be text without |.`);
  return text;
}

/** JSON has numbers of any length, and JavaScript rounds the longer ones. */
function exactText(value: unknown, where: string, column: string): string {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new UsageError(`${where}, ${column}: the number is too long to be read exactly. Put it in quotes.`);
  return String(value);
}

const valuesOf = (cells: readonly (readonly [string, string])[]): Map<string, string> =>
  new Map(cells.map(([header, text]) => [header, text.trim()] as const).filter(([, text]) => text !== ''));
