import { builder } from '../builder.ts';

export const FileCategoryEnum = builder.enumType('FileCategory', {
  description:
    'What a file is for. It decides whether its stored copy is public, and where it may be named. Issuing publishes every named file to IPFS, a private one too: whoever knows its CID can then read it.',
  values: {
    NON_ATTACHMENT_FILE: {
      value: 'non_attachment_file',
      description: 'Public. For thumbnail, image and contract terms; named by the metadata only.',
    },
    ARTWORK: {
      value: 'artwork',
      description: 'Public. A digital component of the work itself; its hash goes into digitalComponents.',
    },
    CERTIFICATE: { value: 'certificate', description: 'Private. A certificate document.' },
    FOR_AUTHENTICITY: { value: 'for_authenticity', description: 'Private. Evidence of authenticity.' },
    INSTALLATION: { value: 'installation', description: 'Private. Installation instructions or records.' },
  } as const,
});
