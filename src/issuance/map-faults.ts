import type { Fault } from '../model/errors.ts';
import type { EntryRow } from './flow.ts';
import { mutationPath } from './mutation-path.ts';

/** Of an entry without `input` it is not known in which form its metadata was given. */
type Place = Pick<EntryRow, 'index' | 'external_id'> & Partial<Pick<EntryRow, 'input'>>;

/**
 * The faults of a refused batch as its caller sees them: one for the whole, and one for each entry. Where the
 * service says several things of one entry, its fault is the first, with the texts of all.
 */
export function mapFaultsToEntries(
  faults: readonly [Fault, ...Fault[]],
  entries: Place[],
): { ofRequest: Fault; ofEntries: Fault[] } {
  const placed = faults.map((fault) => atEntry(fault, entries));
  const guilty = placed.filter(({ code }) => code !== 'SRR_NOT_CREATED');
  const [first = placed[0] ?? faults[0]] = guilty;
  // What is said of no entry has no other place to stand in.
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
 * The service counts entries within its request, and names their fields by the names of its own interface;
 * the caller counts them within the mutation, and knows the mutation's names.
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
  // What the service says of the whole request, it says of each of its records; of another entry, it does not.
  ...(cause.externalId === undefined &&
    cause.upstreamMessage !== undefined && { upstreamMessage: cause.upstreamMessage }),
});
