import type { EntryInput, MetadataInput } from '../input.ts';
import { metadataDocument } from '../metadata-document.ts';
import type { Context } from './metadata-schema.ts';

export const contextOf = ({ attachments }: EntryInput, vendorPrefix: string): Context => ({
  vendorPrefix,
  attached: attachments.map(({ category }) => category),
});

/** The document of typed input. References are checked by the rules of files; here each counts as an address. */
export const typedDocument = (
  input: MetadataInput,
  { vendorPrefix }: Context,
  baseUrl = 'https://service.invalid',
): Record<string, unknown> => metadataDocument(input, { baseUrl, vendorPrefix }, () => '');
