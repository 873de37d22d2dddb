import { describe, expect, it } from 'vitest';
import { parseAddress } from './address.ts';

// An example from EIP-55.
const checksummed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

describe('an address', () => {
  it.each([checksummed, checksummed.toLowerCase(), `0x${checksummed.slice(2).toUpperCase()}`])(
    '%s is read in any one letter case',
    (text) => expect(parseAddress(text)).toBe(checksummed),
  );

  it.each([
    ['a wrong checksum', checksummed.replace('aA', 'Aa')],
    ['too short', '0x12'],
    ['no prefix', checksummed.slice(2)],
    ['not hex', `0x${'g'.repeat(40)}`],
  ])('with %s is refused', (_why, text) => expect(parseAddress(text)).toBeUndefined());
});
