import { entryMessages, serviceMessages } from '../http/messages.ts';
import type { issueRefusals } from '../http/refusals.ts';

export interface IssueEffect {
  /** The status of the refused request. Without one, the text is the entry's in `results`. */
  status?: keyof typeof issueRefusals;
  message(about: { externalId: string; reason: string }): string;
}

/** What the service says by each `effect` of a fault of the kind `issue`. */
export const issueEffects = {
  entryUnknown: { message: ({ externalId }) => entryMessages.unknown(externalId) },
  entryNotCreated: { message: ({ reason }) => entryMessages.notCreated(reason) },
  unknown: { status: 500, message: ({ externalId }) => serviceMessages.unknown(externalId) },
  downstream: { status: 500, message: ({ reason }) => serviceMessages.refused(reason) },
} satisfies Record<string, IssueEffect>;
