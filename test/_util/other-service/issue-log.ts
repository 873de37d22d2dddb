import { createHash } from 'node:crypto';
import type { IssueBody } from './request-checks.ts';
import type { Variants } from './variants.ts';
import { Refused } from './world.ts';

/** Identifiers that can be used only once, by a wallet or by all. Those of a failed mining are free again. */
export class IssueLog {
  readonly requestIds = new Set<string>();
  readonly contents = new Map<string, 'in_progress' | 'successful'>();
  readonly externalIds = new Set<string>();
  /** The pairs of artist and CID. */
  readonly metadata = new Set<string>();
  readonly chips = new Set<string>();
  /** The numbers of records and chips of each wallet that count towards its quotas. */
  readonly used = new Map<string, { srrs: number; chips: number }>();

  /** @throws Refused 400 if the request or its content is known. */
  check(variants: Variants, issuer: string, body: IssueBody): void {
    const byId = () => {
      if (body.requestId !== undefined && this.requestIds.has(`${issuer} ${body.requestId}`))
        throw new Refused(400, 'Duplicate Request Error: Same requestId already logged');
    };
    const byContent = () => {
      const status = this.contents.get(contentKey(issuer, body));
      if (status)
        throw new Refused(400, `Request Content Error: Current request already logged with status ${status}`);
    };
    for (const check of variants.firstCheck === 'CONTENT' ? [byContent, byId] : [byId, byContent]) check();
  }

  logRequestId(issuer: string, body: IssueBody | undefined): void {
    if (body?.requestId !== undefined) this.requestIds.add(`${issuer} ${body.requestId}`);
  }
}

/** A key that is equal for equal payloads, whatever their requestId and the order of their fields. */
export function contentKey(issuer: string, { payload }: IssueBody): string {
  const text = JSON.stringify(payload, (_key, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return `${issuer} ${createHash('sha256').update(text).digest('hex')}`;
}
