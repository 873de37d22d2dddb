import { builder } from '../builder.ts';

export const MetadataStatusEnum = builder.enumType('MetadataStatus', {
  description: 'Whether a metadata document is there, and why not.',
  values: {
    VERIFIED: { description: 'Its bytes hash to its CID.' },
    UNVERIFIED: { description: 'It is there, but its identifier lets nobody check it.' },
    PENDING: { description: 'The record has no document yet.' },
    TIMEOUT: { description: 'No gateway had it in time.' },
    NOT_FOUND: { description: 'No gateway has it.' },
    INVALID_JSON: { description: 'It is there and is no JSON object.' },
    TOO_LARGE: { description: 'It is larger than a metadata document may be.' },
    BLOCKED: { description: 'The gateways refuse to serve it.' },
    HASH_MISMATCH: { description: 'What came does not hash to the CID; it is not shown.' },
    UNAVAILABLE: { description: 'What would tell cannot be reached.' },
  } as const,
});
