import type { Fault } from '../../faults/faults.ts';
import { ServiceError } from '../../http/service-error.ts';
import { entryMessages, serviceMessages } from '../messages.ts';
import { failures } from './entry-checks.ts';
import type { PreparedEntry } from './prepare.ts';

export type IssueFault = Extract<Fault, { kind: 'issue' }>;

/**
 * Test mode: throws the refusals that no input can cause. `consumeFault` returns the fault for an entry, if any,
 * and uses up one of its `times`.
 */
export function injectRefusals(
  entries: PreparedEntry[],
  consumeFault: (externalId: string) => IssueFault | undefined,
): void {
  const faults = entries.map(({ entry }) => {
    const fault = consumeFault(entry.externalId);
    switch (fault?.effect) {
      case 'unknown':
        throw new ServiceError(500, serviceMessages.unknown(entry.externalId));
      case 'downstream':
        throw new ServiceError(500, serviceMessages.refused(fault.reason));
      case 'entryUnknown':
        return entryMessages.unknown(entry.externalId);
      case 'entryNotCreated':
        return entryMessages.notCreated(fault.reason);
      default:
        return undefined;
    }
  });
  const results = failures(entries, faults);
  if (results) throw new ServiceError(400, { results });
}
