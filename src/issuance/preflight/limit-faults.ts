import type { Fault } from '../../model/errors.ts';

/** Maximum for one entry: more than a person corrects at once. A document can have thousands. */
const maxOfEntry = 20;
/** Maximum for a call: one for each entry of a request of the recommended size (250). */
const maxOfAll = 250;

/**
 * The first faults and a count of the rest. `faults` has a list for each entry. The count has `code`, and its message
 * calls the faults `what`.
 */
export function limitFaults(
  faults: Fault[][],
  what = 'faults',
  code: Fault['code'] = 'INVALID_INPUT',
): Fault[] {
  const limited: Fault[] = [];
  let unseen = 0;
  let unseenEntries = 0;
  for (const [index, ofEntry] of faults.entries()) {
    if (ofEntry.length === 0) continue;
    if (limited.length >= maxOfAll) {
      unseen += ofEntry.length;
      unseenEntries += 1;
      continue;
    }
    limited.push(...ofEntry.slice(0, maxOfEntry));
    const rest = ofEntry.length - maxOfEntry;
    if (rest > 0)
      limited.push(
        more(
          code,
          `This entry has ${rest} more ${what}.`,
          ['input', 'entries', `${index}`],
          ofEntry[0]?.externalId,
        ),
      );
  }
  if (unseen > 0)
    limited.push(
      more(code, `There are ${unseen} more ${what}, in ${unseenEntries} more entries.`, ['input', 'entries']),
    );
  return limited;
}

const more = (code: Fault['code'], count: string, path: string[], externalId?: string): Fault => ({
  code,
  message: `${count} Correct those above and check again.`,
  path,
  ...(externalId !== undefined && { externalId }),
});
