import { assertScalarType } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from './schema.ts';

it('Address returns an address of the subgraph with its checksum', () => {
  const address = assertScalarType(schema.getType('Address'));
  const checksummed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  expect(address.serialize(checksummed.toLowerCase())).toBe(checksummed);
  expect(address.serialize(checksummed)).toBe(checksummed);
});
