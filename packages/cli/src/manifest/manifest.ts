import { dirname, resolve } from 'node:path';
import { didYouMean } from '../lib/nearest.ts';
import { columnOf, columns, headerNames, missingHeaders } from './columns.ts';
import { type Draft, draftOf } from './draft.ts';
import { readCells, type Table, throwFaults } from './read-cells.ts';

export interface Manifest {
  path: string;
  headers: readonly string[];
  drafts: readonly Draft[];
}

/** Reads and checks a whole manifest. @throws UsageError with every fault, each with its row and column */
export function readManifest(path: string, folder?: string): Manifest {
  const table = readCells(path);
  // Check headers first: with an unknown one every row would have the same fault.
  throwFaults(path, headerFaults(table));
  const files = resolve(folder ?? dirname(path));
  const drafts = table.rows.map((cells) => draftOf(cells, files));
  const faults = [...drafts.flatMap(({ faults }) => faults), ...repeatedIds(drafts)];
  throwFaults(path, faults);
  return { path, headers: table.headers, drafts };
}

function headerFaults({ headers, rows }: Table): string[] {
  const unknown = headers.flatMap((header) => {
    if (columnOf(header)) return [];
    const inLanguages = columns.some(({ name, kind }) => name === header && kind === 'languages');
    if (inLanguages) return [`column "${header}" needs a language, such as "${header}.en".`];
    if (header === '') return ['a column has no header.'];
    return [`column "${header}" is not known.${didYouMean(header, headerNames)}`];
  });
  const repeated = headers.filter((header, i) => header !== '' && headers.indexOf(header) !== i);
  return [
    ...unknown,
    ...repeated.map((header) => `column "${header}" is there twice.`),
    ...(rows.length === 0
      ? ['has no records.']
      : missingHeaders(headers).map((name) => `column "${name}" is missing.`)),
  ];
}

function repeatedIds(drafts: readonly Draft[]): string[] {
  const first = new Map<string, string>();
  return drafts.flatMap(({ where, externalId }) => {
    const before = first.get(externalId);
    if (externalId && before)
      return [
        `${where}, column "externalId": "${externalId}" is that of ${before}. Each record needs its own.`,
      ];
    first.set(externalId, where);
    return [];
  });
}
