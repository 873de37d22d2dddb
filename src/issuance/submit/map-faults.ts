import type { Fault } from '../../model/errors.ts';
import type { EntryRow } from '../flow.ts';
import { mutationPath } from '../mutation-path.ts';

/** An entry. Without its `input` it is not known in which form its metadata was given. */
type Place = Pick<EntryRow, 'index' | 'external_id'> & Partial<Pick<EntryRow, 'input'>>;

/**
 * Maps the faults of a refused batch to what its caller sees: one for the request and one for each entry. An
 * entry of which the service says several things gets the first fault, with the texts of all.
 */
export function mapFaultsToEntries(
  faults: readonly [Fault, ...Fault[]],
  entries: Place[],
): { ofRequest: Fault; ofEntries: Fault[] } {
  const placed = faults.map((fault) => atEntry(fault, entries));
  const causes = placed.filter(({ code }) => code !== 'SRR_NOT_CREATED');
  const [first = placed[0] ?? faults[0]] = causes;
  // Texts about no particular entry can only be shown here.
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
  return texts.size > 1 ? { ...fault, upstreamMessage: [...texts].join('\n') } : fault;
}

/**
 * Puts a fault's path into the caller's terms. The service counts entries within its request and names fields
 * by its own interface; the caller counts them within the mutation and knows the mutation's names.
 */
function atEntry(fault: Fault, entries: Place[]): Fault {
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

const cancelledWith = (entry: Place, cause: Fault): Fault => ({
  code: 'SRR_NOT_CREATED',
  message: `Not created, because the request was refused as a whole: ${cause.message}`,
  externalId: entry.external_id,
  path: ['input', 'entries', `${entry.index}`],
  // What the service says of the whole request holds for each record; what it says of another entry does not.
  ...(cause.externalId === undefined &&
    cause.upstreamMessage !== undefined && { upstreamMessage: cause.upstreamMessage }),
});
