import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../schema/schema.ts';
import { prepareRead } from './prepare.ts';

const prepare = (text: string) => prepareRead(schema, parse(text), undefined);

describe('a prepared read', () => {
  const row = 'licensedUser(address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed") { address }';
  const page = 'licensedUsers(first: 1) { edges { node { address } } }';
  it.each([
    [`{ ${row} }`, true],
    [`{ ${page} }`, false],
    [`{ ${row} ${page} }`, false],
  ])('shares its reads only when it reads nothing but single rows: %s %s', (text, readsRows) => {
    expect(prepare(text)?.readsRows).toBe(readsRows);
  });

  it('has one plan for each value of its @skip and @include conditions', () => {
    const read = prepare(`query ($a: Boolean!) { ... @skip(if: $a) { ${row} } ${page} }`);
    const plans = [true, false, true].map((a) => read?.plan({ a }));
    expect(plans[0]).toBeDefined();
    expect(plans[1]).not.toBe(plans[0]);
    expect(plans[2]).toBe(plans[0]);
  });

  it.each(['mutation { __typename }', '{ viewer { issuer } }', `{ ${row} viewer { issuer } }`])(
    'is not made for an operation that reads more than public records: %s',
    (text) => expect(prepare(text)).toBeUndefined(),
  );
});
