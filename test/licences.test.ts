import { expect, it } from 'vitest';
import { runtimeLicences } from '../scripts/print-licences.ts';

/** They ask for no more than to keep their notice, which the packages themselves carry. */
const permissive = /^(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|Unlicense|BlueOak-1\.0\.0|CC0-1\.0)$/;

/** LGPL: a shared library that whoever runs the gateway may replace by another build of it. */
const replaceable = /^@img\/sharp-libvips-/;

it('every package that the product runs with may be used and passed on', () => {
  const packages = runtimeLicences();
  expect(packages.length).toBeGreaterThan(50);
  const others = packages
    .filter(({ name }) => !replaceable.test(name))
    .filter(
      ({ licence }) =>
        !licence
          .replace(/[()]/g, '')
          .split(' OR ')
          .some((one) => permissive.test(one)),
    );
  expect(others).toEqual([]);
});
