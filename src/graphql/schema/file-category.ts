import { builder } from './builder.ts';

export const FileCategoryEnum = builder.enumType('FileCategory', {
  description:
    'The purpose of a file. It decides whether the stored copy is public, and where the file may be used. Issuing publishes every file that an entry names to IPFS, private ones too: whoever knows the CID can then read it.',
  values: {
    NON_ATTACHMENT_FILE: {
      value: 'non_attachment_file',
      description: 'A public file for thumbnail, image or contract terms. It cannot be an attachment.',
    },
    ARTWORK: {
      value: 'artwork',
      description:
        'A public file that is a digital component of the work itself. Its hash goes into digitalComponents.',
    },
    CERTIFICATE: { value: 'certificate', description: 'A private certificate document.' },
    FOR_AUTHENTICITY: {
      value: 'for_authenticity',
      description: 'A private file that is evidence of authenticity.',
    },
    INSTALLATION: {
      value: 'installation',
      description: 'A private file with installation instructions or records.',
    },
  } as const,
});
