import { type Fault, shortened } from '../../model/errors.ts';
import type { EntryRow } from '../flow.ts';
import { mutationPath } from '../mutation-path.ts';

/** An entry. `input` shows the form of its metadata; old entries lack it. */
type FaultyEntry = Pick<EntryRow, 'index' | 'external_id'> & Partial<Pick<EntryRow, 'input'>>;

/**
 * Maps the faults of a refused batch to one fault for the request and one for each entry. An entry with several
 * faults gets the first, with the texts of all.
 */
export function mapFaultsToEntries(
  faults: readonly [Fault, ...Fault[]],
  entries: FaultyEntry[],
): { ofRequest: Fault; ofEntries: Fault[] } {
  const placed = faults.map((fault) => atEntry(fault, entries));
  const causes = placed.filter(({ code }) => code !== 'SRR_NOT_CREATED');
  const [first = placed[0] ?? faults[0]] = causes;
  // The request's fault also has the texts about no particular entry.
  const ofRequest = withTexts(
    first,
    placed.filter(({ externalId }) => externalId === first.externalId || externalId === undefined),
  );
  const ofEntry = Map.groupBy(placed, ({ externalId }) => externalId);
  return {
    ofRequest,
    ofEntries: entries.map((entry) => {
      const [own, ...more] = ofEntry.get(entry.external_id) ?? [];
      return own ? withTexts(own, [own, ...more]) : cancelledWith(entry, first);
    }),
  };
}

function withTexts(fault: Fault, all: Fault[]): Fault {
  const texts = new Set(all.flatMap(({ upstreamMessage }) => upstreamMessage ?? []));
  return texts.size > 1 ? shortened({ ...fault, upstreamMessage: [...texts].join('\n') }) : fault;
}

/**
 * Translates a fault's path. The service counts entries within its request and uses its own field names; the
 * caller's path counts them within the mutation and has the mutation's names.
 */
function atEntry(fault: Fault, entries: FaultyEntry[]): Fault {
  const [word, position, ...rest] = fault.path ?? [];
  const entry =
    word === 'payload'
      ? entries[Number(position)]
      : entries.find((candidate) => candidate.external_id === fault.externalId);
  if (!entry) return fault;
  return {
    ...fault,
    externalId: entry.external_id,
    path: [
      'input',
      'entries',
      `${entry.index}`,
      ...(word === 'payload' ? mutationPath(rest, entry.input) : []),
    ],
  };
}

function cancelledWith(entry: FaultyEntry, cause: Fault): Fault {
  const location = { externalId: entry.external_id, path: ['input', 'entries', `${entry.index}`] };
  // An identical request has these very entries, so they must not be created again.
  if (cause.code === 'DUPLICATE_REQUEST_CONTENT') return { ...cause, ...location };
  return {
    code: 'SRR_NOT_CREATED',
    message: `Not created, because the request was refused as a whole: ${cause.message}`,
    ...location,
    // A text about the whole request applies to each entry; a text about another entry does not.
    ...(cause.externalId === undefined &&
      cause.upstreamMessage !== undefined && { upstreamMessage: cause.upstreamMessage }),
  };
}
