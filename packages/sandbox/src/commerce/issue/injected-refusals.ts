import type { FaultOf } from '../../faults/fault-schema.ts';
import { type IssueEffect, issueEffects } from '../../faults/issue-effects.ts';
import { ServiceError } from '../../http/service-error.ts';
import { failures } from './entry-checks.ts';
import type { PreparedEntry } from './prepare.ts';

export type IssueFault = FaultOf<'issue'>;

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
    if (!fault) return undefined;
    const { status, message }: IssueEffect = issueEffects[fault.effect];
    const text = message({ reason: fault.reason, entry });
    if (status === undefined) return text;
    throw new ServiceError(status, text);
  });
  const results = failures(entries, faults);
  if (results) throw new ServiceError(400, { results });
}
