import type { DefinedError } from 'ajv';
import { metadataMessages } from '../messages.ts';

/** The service's message for an error of the validator; `undefined` for one that only sums up others. */
export function inServiceWords(error: DefinedError): string | undefined {
  const at = error.instancePath.slice(1).replaceAll('/', '.');
  const prefixed = (words: string) => (at === '' ? words : `${at} ${words}`);
  switch (error.keyword) {
    case 'required':
    case 'dependencies':
      return prefixed(metadataMessages.required(error.params.missingProperty));
    case 'additionalProperties':
      return prefixed(metadataMessages.additional);
    case 'enum':
      return prefixed(metadataMessages.notAllowed);
    case 'minimum':
    case 'maximum':
      return metadataMessages.royaltyOutOfRange;
    case 'if':
      return undefined;
    default:
      return prefixed(error.message ?? `breaks the rule ${error.keyword}`);
  }
}
