import type { Fault } from '../../model/errors.ts';

/** Faults shown of one entry: more than a person corrects in one go. A document can have thousands. */
const maxOfEntry = 20;
/** Faults shown in all: one for each entry of a request of the recommended size (250). */
const maxOfAll = 250;

/**
 * The first faults and a count of the rest. `faults` has a list for each entry; messages call them `what`, and the
 * counts have `code`.
 */
export function limitFaults(
  faults: Fault[][],
  what = 'faults',
  code: Fault['code'] = 'INVALID_INPUT',
): Fault[] {
  const shown: Fault[] = [];
  let unseen = 0;
  let unseenEntries = 0;
  for (const [index, ofEntry] of faults.entries()) {
    if (ofEntry.length === 0) continue;
    if (shown.length >= maxOfAll) {
      unseen += ofEntry.length;
      unseenEntries += 1;
      continue;
    }
    shown.push(...ofEntry.slice(0, maxOfEntry));
    const rest = ofEntry.length - maxOfEntry;
    if (rest > 0)
      shown.push(
        more(
          code,
          `This entry has ${rest} more ${what}.`,
          ['input', 'entries', `${index}`],
          ofEntry[0]?.externalId,
        ),
      );
  }
  if (unseen > 0)
    shown.push(
      more(code, `There are ${unseen} more ${what}, in ${unseenEntries} more entries.`, ['input', 'entries']),
    );
  return shown;
}

const more = (code: Fault['code'], count: string, path: string[], externalId?: string): Fault => ({
  code,
  message: `${count} Correct those above and check again.`,
  path,
  ...(externalId !== undefined && { externalId }),
});
