import type { EntryInput, MetadataInput } from '../input.ts';
import { metadataDocument } from '../metadata-document.ts';
import type { EntryContext } from './metadata-schema.ts';

/** What the schema check needs to know of an entry besides its document. */
export const contextOf = ({ attachments }: EntryInput, vendorPrefix: string): EntryContext => ({
  vendorPrefix,
  attached: attachments.map(({ category }) => category),
});

/**
 * Builds the document of typed input for the schema check, with an empty address for each file reference, which is
 * checked elsewhere.
 */
export const typedDocument = (
  input: MetadataInput,
  { vendorPrefix }: EntryContext,
  baseUrl = 'https://service.invalid',
): Record<string, unknown> => metadataDocument(input, { baseUrl, vendorPrefix }, () => '');
