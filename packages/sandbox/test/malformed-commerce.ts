import fc, { type Arbitrary } from 'fast-check';
import {
  brokenBodies,
  deepBodies,
  named,
  poisonedBodies,
  textWithOddities,
  truncated,
} from './malformed-bodies.ts';
import type { MalformedRequest, World } from './malformed-request.ts';

export const endpoints = ['signedUrls', 'fileMetadata', 'srrs', 'collection'] as const;
type Endpoint = (typeof endpoints)[number];

/** Valid bodies with every field. */
export function wholeBodies({ issuer, image }: World): Record<Endpoint, object> {
  const files = [
    { filename: 'whole.png', category: 'artwork' },
    { filename: 'other.pdf', category: 'certificate' },
  ];
  const entry = issuer.entry(image, {
    to: issuer.address,
    attachmentFiles: [{ name: 'a.png', category: 'artwork', url: image }],
    externalUrls: ['https://example.test/'],
  });
  const metadata = issuer.metadata(image, {
    size: { width: 1, height: 2.5, depth: 3, unit: 'cm', flexibleDescription: { en: 'x' } },
    edition: { uniqueness: 'unique work', proofType: 'ED', number: 1, totalNumber: 3, note: { en: 'x' } },
    contractTerms: { royaltyRate: 15.7, fileURL: image },
    isDigital: true,
    chipUIDs: ['0123456789abcdef'],
    vendorCertICTagUIDs: ['0123456789abcdef'],
  });
  return {
    signedUrls: { action: 'write', payload: files },
    fileMetadata: { payload: files },
    srrs: { requestId: 'a-request', payload: [{ ...entry, metadata }] },
    collection: { payload: { name: 'Tides', symbol: 'TIDE', salt: `0x${'ab'.repeat(32)}` } },
  };
}

export function malformedCommerce(world: World): Arbitrary<MalformedRequest> {
  const whole = wholeBodies(world);
  return fc.constantFrom(...endpoints).chain((endpoint) => {
    const text = JSON.stringify(whole[endpoint]);
    const bodies = fc.oneof(
      { weight: 8, arbitrary: named('a broken field', brokenBodies(whole[endpoint])) },
      { weight: 3, arbitrary: named('odd text', textWithOddities(whole[endpoint])) },
      { weight: 2, arbitrary: named('prototype keys', poisonedBodies(text)) },
      { weight: 3, arbitrary: named('truncated', truncated(text)) },
      { weight: 1, arbitrary: named('deep', deepBodies()) },
      { weight: 3, arbitrary: named('any JSON', fc.json({ maxDepth: 4 })) },
      {
        weight: 2,
        arbitrary: named(
          'a payload of anything',
          fc.json({ maxDepth: 3 }).map((json) => `{"payload":[${json}]}`),
        ),
      },
      { weight: 1, arbitrary: named('bytes', fc.uint8Array({ maxLength: 500 }).map(Buffer.from)) },
    );
    // The document has 404 for missing files, and an odd filename may be just that.
    const statuses = endpoint === 'fileMetadata' ? [400, 404] : [400];
    return bodies.map(({ what, body }) => ({
      method: 'POST' as const,
      operation: `post /port/api/v1/commerce/${endpoint}`,
      path: `/port/api/v1/commerce/${endpoint}`,
      headers: rightHeaders(world),
      body,
      what,
      statuses,
      form: 'envelope' as const,
    }));
  });
}

function rightHeaders({ issuer }: World): Record<string, string> {
  return {
    'commerce-api-key': issuer.apiKey,
    'issuer-address': issuer.address,
    'content-type': 'application/json',
    accept: 'application/json',
  };
}

/** Characters that a header can have. */
const headerText = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((n) => String.fromCharCode(n)),
});

export function wrongHeaders(world: World): Arbitrary<MalformedRequest> {
  const right = rightHeaders(world);
  const types = fc.oneof(
    headerText,
    fc.constantFrom(
      'text/plain',
      'multipart/form-data',
      'application/xml',
      'application/jsonp',
      '/',
      ';',
      '',
    ),
  );
  return fc
    .record({
      endpoint: fc.constantFrom(...endpoints),
      wrong: fc.oneof(
        fc.record({ name: fc.constantFrom('commerce-api-key', 'issuer-address'), value: headerText }),
        fc.record({ name: fc.constantFrom('content-type'), value: types }),
        fc.record({
          name: fc.constantFrom('accept'),
          value: fc.constantFrom('text/html', 'x', '*', ';', ''),
        }),
      ),
      body: fc.json({ maxDepth: 2 }),
    })
    .map(({ endpoint, wrong, body }) => ({
      method: 'POST' as const,
      operation: `post /port/api/v1/commerce/${endpoint}`,
      path: `/port/api/v1/commerce/${endpoint}`,
      headers: { ...right, [wrong.name]: wrong.value },
      body,
      what: `${wrong.name}: ${wrong.value}`,
      statuses: ['content-type', 'accept'].includes(wrong.name) ? [400] : [401],
      form: 'envelope' as const,
    }));
}
