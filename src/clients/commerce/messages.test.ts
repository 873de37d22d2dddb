import type { rows as documentRows } from '@srr-gateway/sandbox/testing/document-rows';
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../model/errors.ts';
import { messageKinds } from './messages.ts';
import { readMessage } from './read-message.ts';

const artist = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const payload = [
  {
    externalId: 'first',
    artistAddress: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    metadata: { thumbnailURL: 'https://static.test/a.png', image: 'https://static.test/b.png' },
  },
  {
    externalId: 'second.',
    artistAddress: artist,
    metadata: { thumbnailURL: 'ipfs://x', contractTerms: { fileURL: 'https://static.test/terms.pdf' } },
    attachmentFiles: [{ name: 'c.pdf', category: 'certificate', url: 'https://private.test/c.pdf' }],
  },
];

type Row = [text: string, code: ErrorCode, path?: string];
type ErrorTable = 'Entry code' | 'Request message' | 'Metadata detail' | '500 message' | '401 message';

/**
 * Messages for each row of the document's error tables: text, code, and the path if the text names one. The
 * compiler requires every row of every table.
 */
const tables: { [T in ErrorTable]: Record<(typeof documentRows)[T][number], [Row, ...Row[]]> } = {
  'Entry code': {
    DUPLICATE_METADATA: [['DUPLICATE_METADATA', 'DUPLICATE_METADATA']],
    DUPLICATE_CHIP: [['DUPLICATE_CHIP', 'DUPLICATE_CHIP']],
    INVALID_CHIP: [['INVALID_CHIP', 'INVALID_CHIP']],
    DUPLICATE_EXTERNAL_ID: [['DUPLICATE_EXTERNAL_ID', 'DUPLICATE_EXTERNAL_ID']],
    UNKNOWN_ARTIST: [['UNKNOWN_ARTIST', 'UNKNOWN_ARTIST']],
    SRR_NOT_CREATED: [
      ['SRR_NOT_CREATED', 'SRR_NOT_CREATED'],
      ['SRR_NOT_CREATED: Not created because there is SRR in the same batch that error', 'SRR_NOT_CREATED'],
    ],
    UNKNOWN_ERROR: [
      ['UNKNOWN_ERROR: external ID: first.', 'UNKNOWN_ERROR', '0'],
      ['UNKNOWN_ERROR: external ID: second.', 'UNKNOWN_ERROR', '1'],
    ],
  },
  'Request message': {
    'metadata is invalid': [
      [
        'payload.1.metadata is invalid. Check it against the metadata JSON schema. Details: other',
        'METADATA_INVALID',
        '1.metadata',
      ],
    ],
    'artistAddress is no address': [
      ['payload.1.artistAddress must be a valid Ethereum addresses', 'ADDRESS_INVALID', '1.artistAddress'],
    ],
    'externalId is empty or no string': [
      ['payload.0.externalId should not be empty', 'EXTERNAL_ID_INVALID', '0.externalId'],
      ['payload.0.externalId must be a string', 'EXTERNAL_ID_INVALID', '0.externalId'],
    ],
    'metadata is not defined': [['Some of the metadata is not defined', 'METADATA_MISSING']],
    'metadata cannot be converted': [
      ['Some metadata is failed to be converted: no title', 'METADATA_CONVERSION_FAILED'],
    ],
    'address not found': [
      [`Address not found: ${artist.toLowerCase()}`, 'ADDRESS_NOT_FOUND', '1.artistAddress'],
    ],
    'file URL of another host': [
      [
        'File URLs must be service storage URLs (the finalUrl returned by the signed-URL endpoint) or ipfs:// URLs. [second.] thumbnailURL: https://elsewhere.test/a.png',
        'FILE_URL_NOT_ALLOWED',
        '1.metadata.thumbnailURL',
      ],
    ],
    'private file in metadata': [
      [
        'Metadata file URLs (thumbnailURL, image, contractTerms.fileURL) must be publicly accessible. [first] metadata.image: https://private.test/x',
        'FILE_NOT_PUBLIC',
        '0.metadata.image',
      ],
    ],
    'metadata file not found': [
      [
        'Metadata file(s) not found in storage: https://static.test/terms.pdf',
        'FILE_NOT_FOUND',
        '1.metadata.contractTerms.fileURL',
      ],
    ],
    'metadata file not ready': [
      [
        'Metadata file(s) not ready for IPFS publication (CID still being calculated): https://static.test/a.png',
        'FILE_NOT_READY',
        '0.metadata.thumbnailURL',
      ],
    ],
    'attachment not found': [
      [
        'One or more attachment files were not found in storage. https://private.test/c.pdf',
        'ATTACHMENT_NOT_FOUND',
        '1.attachmentFiles.0.url',
      ],
    ],
    'attachment not ready': [
      [
        'Attachment hash not ready for https://private.test/c.pdf. Try again later.',
        'ATTACHMENT_NOT_READY',
        '1.attachmentFiles.0.url',
      ],
    ],
    'requestId known': [['Duplicate Request Error: Same requestId already logged', 'DUPLICATE_REQUEST_ID']],
    'content known': [
      [
        'Request Content Error: Current request already logged with status in_progress',
        'DUPLICATE_REQUEST_CONTENT',
      ],
      [
        'Request Content Error: Current request already logged with status successful',
        'DUPLICATE_REQUEST_CONTENT',
      ],
    ],
    'filename without extension or with a space': [
      ['payload.1.filename extension is missing', 'FILENAME_EXTENSION_MISSING', '1.filename'],
      ['payload.0.filename space is not allowed', 'FILENAME_HAS_SPACE', '0.filename'],
      ['extension is missing', 'FILENAME_EXTENSION_MISSING'],
      ['space is not allowed', 'FILENAME_HAS_SPACE'],
    ],
    'category unknown': [
      [
        'payload.1.category must be one of the following values: certificate,for_authenticity,artwork,installation,non_attachment_file',
        'CATEGORY_INVALID',
        '1.category',
      ],
    ],
  },
  'Metadata detail': {
    'a required property is missing': [
      [
        "payload.0.metadata is invalid. Details: should have required property 'title'",
        'METADATA_INVALID',
        '0.metadata',
      ],
    ],
    'an additional property': [
      [
        'payload.0.metadata is invalid. Details: should NOT have additional properties',
        'METADATA_INVALID',
        '0.metadata',
      ],
    ],
    'a value that is not allowed': [
      [
        'payload.0.metadata is invalid. Details: must be equal to one of the allowed values',
        'METADATA_INVALID',
        '0.metadata',
      ],
    ],
    'an unknown $schema': [
      [
        'payload.0.metadata is invalid. Details: $schema path is invalid, file is not found',
        'METADATA_INVALID',
        '0.metadata.$schema',
      ],
    ],
    'a digest that does not match': [
      [
        'payload.0.metadata is invalid. Details: $schemaIntegrity does not match $schema digest',
        'METADATA_INVALID',
        '0.metadata.$schemaIntegrity',
      ],
    ],
    'a royalty out of range': [
      [
        'payload.0.metadata is invalid. Details: royalty rate is out of the acceptable range of 0 to 100',
        'METADATA_INVALID',
        '0.metadata.contractTerms.royaltyRate',
      ],
    ],
  },
  '500 message': {
    'quota exceeded': [['SERVICE_ERROR: Quota limit exceeded!', 'QUOTA_EXCEEDED']],
    'NFC tags exceeded': [['SERVICE_ERROR: LUW missing NFC tag!', 'NFC_ALLOWANCE_EXCEEDED']],
    'downstream failure': [['SERVICE_ERROR: caller is not the collection owner', 'SERVICE_ERROR']],
    unclassified: [['UNKNOWN_ERROR: external ID: first', 'UNKNOWN_ERROR', '0']],
  },
  '401 message': {
    'missing header': [['Missing header', 'UNAUTHENTICATED']],
    'key not valid': [
      [`API Key is not valid for 0x0000000000000000000000000000000000000001`, 'UNAUTHENTICATED'],
    ],
  },
};

const rows = Object.values(tables).flatMap((table) => Object.values(table).flat());

describe('a message of the service', () => {
  it.each(rows)('is documented: %s', (text, code, path) => {
    const { faults, documented } = readMessage(text, payload, 'UNKNOWN_ERROR');
    expect(documented).toBe(true);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({ code, upstreamMessage: text });
    expect(faults[0].message).not.toBe('');
    expect(faults[0].path?.join('.')).toBe(path === undefined ? undefined : `payload.${path}`);
    if (path !== undefined) expect(faults[0].externalId).toBe(payload[Number(path[0])]?.externalId);
  });

  it('is in the table only if the document of the service has it', () => {
    const used = new Set(rows.map(([text]) => messageKinds.findIndex((kind) => kind.form.test(text))));
    expect(messageKinds.filter((_, i) => !used.has(i)).map(({ form }) => form)).toEqual([]);
  });

  it('that names several entries gives a fault for each', () => {
    const text =
      'File URLs must be service storage URLs or ipfs:// URLs [first] image: https://x.test/1 [second.] attachmentFiles[0].url: https://x.test/2';
    const { faults } = readMessage(text, payload, 'UNKNOWN_ERROR');
    expect(faults.map(({ externalId, path }) => [externalId, path?.join('.')])).toEqual([
      ['first', 'payload.0.metadata.image'],
      ['second.', 'payload.1.attachmentFiles.0.url'],
    ]);
  });

  it('that ends in an externalId is about that entry, even if this contains another in brackets', () => {
    const payload = ['b', 'x[b]'].map((externalId) => ({ externalId }));
    for (const text of ['UNKNOWN_ERROR: external ID: x[b].', 'UNKNOWN_ERROR: external ID: x[b]'])
      expect(readMessage(text, payload, 'UNKNOWN_ERROR').faults).toMatchObject([{ externalId: 'x[b]' }]);
  });

  it('that is cut off within an externalId is not about an entry with the shorter externalId', () => {
    const entries = [{ externalId: 'one' }, { externalId: 'tw' }, { externalId: 'two' }];
    const text = 'Metadata file(s) not found in storage\n[one] image: https://x.test/1\n[tw';
    expect(readMessage(text, entries, 'UNKNOWN_ERROR').faults).toMatchObject([{ externalId: 'one' }]);
    expect(readMessage(text, entries, 'UNKNOWN_ERROR').faults).toHaveLength(1);
  });

  it('that quotes an address gives a fault for each field that has this address', () => {
    const twice = [...payload, { externalId: 'third', collectionAddress: artist }];
    const { faults } = readMessage(`Address not found: ${artist}`, twice, 'UNKNOWN_ERROR');
    expect(faults.map(({ externalId, path }) => [externalId, path?.join('.')])).toEqual([
      ['second.', 'payload.1.artistAddress'],
      ['third', 'payload.2.collectionAddress'],
    ]);
  });

  it.each([
    `Metadata file(s) not found in storage: https://static.test/b(1).png, https://static.test/it's.png.`,
    `not found: ["https://static.test/b(1).png","https://static.test/it's.png"]`,
    `not found (https://static.test/b(1).png,https://static.test/it's.png)`,
  ])('that quotes addresses of files with punctuation in their names finds them: %s', (text) => {
    const named = ['a.png', 'b(1).png', "it's.png"].map((name) => ({
      externalId: name,
      metadata: { image: `https://static.test/${name}` },
    }));
    const { faults } = readMessage(text, named, 'UNKNOWN_ERROR');
    expect(faults.map(({ externalId, path }) => [externalId, path?.join('.')])).toEqual([
      ['b(1).png', 'payload.1.metadata.image'],
      ["it's.png", 'payload.2.metadata.image'],
    ]);
  });

  it('that names no entry is about the only entry of the request', () => {
    const { faults } = readMessage('extension is missing', [{ filename: 'a' }], 'UNKNOWN_ERROR');
    expect(faults[0].path).toEqual(['payload', '0', 'filename']);
  });

  it('that is undocumented keeps its text', () => {
    expect(readMessage('teapot', payload, 'SERVICE_ERROR')).toEqual({
      documented: false,
      faults: [
        {
          code: 'SERVICE_ERROR',
          message: 'The service refused the request. See the upstream message for the reason.',
          upstreamMessage: 'teapot',
        },
      ],
    });
  });

  it.each(['[', '[a] ', '0x:/.', ':', 'payload.1.', 'external ID: .', ',a', ')a:/', ', '])(
    'that quotes a long input is parsed fast: many times %j',
    (part) => {
      // Processor time does not depend on the load of the machine.
      const before = process.threadCpuUsage();
      readMessage(`[${part.repeat(100_000)}x`, payload, 'UNKNOWN_ERROR');
      readMessage(`0x:/${part.repeat(100_000)}x`, payload, 'UNKNOWN_ERROR');
      const { user, system } = process.threadCpuUsage(before);
      expect(user + system).toBeLessThan(1_000_000);
    },
  );

  it('that is undocumented but names an input is INVALID_INPUT', () => {
    const { faults } = readMessage(
      'payload.1.isPrimaryIssuer must be a boolean value',
      payload,
      'UNKNOWN_ERROR',
    );
    expect(faults[0]).toMatchObject({ code: 'INVALID_INPUT', path: ['payload', '1', 'isPrimaryIssuer'] });
    // The code of the status takes precedence.
    expect(readMessage('payload is not yours', payload, 'FORBIDDEN').faults[0].code).toBe('FORBIDDEN');
  });
});
