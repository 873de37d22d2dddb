import { fieldMessages } from '../../http/messages.ts';
import type { Category } from '../../store/tables.ts';
import {
  address,
  anyText,
  bodyOf,
  type Field,
  flag,
  type JsonSchema,
  list,
  notEmpty,
  object,
  oneOf,
  optional,
  recipient,
  text,
  type ValueOf,
} from './fields.ts';
import { isRecord } from './problems.ts';

const attachmentCategories = [
  'certificate',
  'for_authenticity',
  'artwork',
  'installation',
] as const satisfies readonly Category[];

const attachment = object({ name: text, category: oneOf(attachmentCategories), url: text });

/**
 * The metadata of an entry. Its schema is checked later, because those faults have messages of their own.
 * Absent metadata too is refused later, when the rest of the body is well-formed.
 */
function metadata(schema: JsonSchema): Field<Record<string, unknown> | undefined> {
  return {
    schema,
    read(value, name, problems) {
      if (isRecord(value)) return value;
      if (value !== undefined && value !== null) problems.add(fieldMessages.noObject(name));
      return undefined;
    },
  };
}

/** Only the first URL is used. The service reports one problem for all values that are not strings. */
const externalUrls: Field<string[]> = {
  schema: { type: 'array', items: { type: 'string' }, deprecated: true },
  read(value, name, problems) {
    if (!Array.isArray(value)) problems.add(fieldMessages.noList(name));
    const urls: unknown[] = Array.isArray(value) ? value : [];
    const texts = urls.filter((url) => typeof url === 'string');
    if (texts.length < urls.length) problems.add(name.replace(/[^.]+$/, fieldMessages.noTexts));
    return texts;
  },
};

const entryOf = (metadataSchema: JsonSchema) =>
  object({
    externalId: text,
    metadata: metadata(metadataSchema),
    artistAddress: address,
    isPrimaryIssuer: flag,
    lockExternalTransfer: flag,
    to: optional(recipient, undefined),
    collectionAddress: optional(address, undefined),
    attachmentFiles: optional(list(attachment), []),
    externalUrls: optional(externalUrls, []),
  });

/** An entry as it was read; absent metadata is refused by the next check. */
export type RequestedEntry = ValueOf<ReturnType<typeof entryOf>>;
export type IssueEntry = RequestedEntry & { metadata: Record<string, unknown> };

/** The body of `POST /srrs`, as it was read. */
export interface IssueRequest {
  requestId: string | undefined;
  entries: RequestedEntry[];
  /** As received: two requests with equal payloads have the same content. */
  payload: unknown;
}

/** Reads the body of `POST /srrs`. The given metadata schemas are for the OpenAPI document only. */
export function issueRequest(metadataSchemas: JsonSchema[]) {
  const entries = notEmpty(list(entryOf({ anyOf: metadataSchemas })));
  const request = object({ requestId: optional(anyText, undefined), payload: entries });
  return bodyOf<IssueRequest>({
    schema: request.schema,
    read(body, name, problems) {
      const { requestId, payload: entries } = request.read(body, name, problems);
      return { requestId, entries, payload: isRecord(body) ? body.payload : [] };
    },
  });
}
