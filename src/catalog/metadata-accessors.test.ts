import { describe, expect, it } from 'vitest';
import { linkOf } from './metadata-accessors.ts';

const cid = 'bafkreibebzcktpolubbklh73mxkxswkf3nagmvgq3tsnp33xsi6bbye5ay';

describe('a link in a document', () => {
  it.each(['https://example.org/work?id=1', 'http://example.org', `ipfs://${cid}`, cid, `/ipfs/${cid}`])(
    'is shown: %s',
    (text) => expect(linkOf(text)).toBe(text),
  );

  it.each<[unknown]>([
    ['javascript:alert(1)'],
    ['JavaScript://example.org/%0aalert(1)'],
    ['data:text/html,<script>alert(1)</script>'],
    ['file:///etc/passwd'],
    ['not an address'],
    [''],
    [7],
    [null],
  ])('is not shown: %s', (value) => expect(linkOf(value)).toBeNull());
});
