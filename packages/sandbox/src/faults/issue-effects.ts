import { entryMessages, serviceMessages } from '../http/messages.ts';
import type { issueRefusals } from '../http/refusals.ts';

/** Values for a message: the fault's `reason`, and the entry of the request. */
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
 * The service's message for each `effect` of a fault of kind `issue`, from which the fault's schema derives its list.
 * Texts that the sandbox also sends without a fault are in `http/messages.ts`.
 */
export const issueEffects = {
  entryUnknown: { message: ({ entry }) => entryMessages.unknown(entry.externalId) },
  entryNotCreated: { message: ({ reason }) => `SRR_NOT_CREATED: ${reason}` },
  unknown: { status: 500, message: ({ entry }) => serviceMessages.unknown(entry.externalId) },
  downstream: { status: 500, message: ({ reason }) => serviceMessages.refused(reason) },
} satisfies Record<string, IssueEffect>;
