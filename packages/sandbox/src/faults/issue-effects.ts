import { entryMessages, serviceMessages } from '../http/messages.ts';
import type { issueRefusals } from '../http/refusals.ts';

/** What a message may quote: the fault's `reason`, and the entry as the request has it. */
interface Refused {
  reason: string;
  entry: {
    externalId: string;
    artistAddress: string;
    to?: string;
    collectionAddress?: string;
    metadata: Record<string, unknown>;
    attachmentFiles: { url: string }[];
  };
}

export interface IssueEffect {
  /** The status of the refused request. Without one, the text is the entry's in `results`. */
  status?: keyof typeof issueRefusals;
  message(about: Refused): string;
}

/**
 * What the service says by each `effect` of a fault of the kind `issue`; the fault's schema takes its list from
 * here. Only texts that the sandbox also says by itself are in `http/messages.ts`.
 */
export const issueEffects = {
  entryUnknown: { message: ({ entry }) => entryMessages.unknown(entry.externalId) },
  entryNotCreated: { message: ({ reason }) => `SRR_NOT_CREATED: ${reason}` },
  unknown: { status: 500, message: ({ entry }) => serviceMessages.unknown(entry.externalId) },
  downstream: { status: 500, message: ({ reason }) => serviceMessages.refused(reason) },
} satisfies Record<string, IssueEffect>;
