import { expect, it } from 'vitest';
import { runtimeLicences } from '../../scripts/print-licences.ts';

/** Licences that only require their notice to be kept; the packages contain it. */
const permissive = /^(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|Unlicense|BlueOak-1\.0\.0|CC0-1\.0)$/;

/** LGPL: a shared library that an operator may replace by another build. */
const replaceable = /^@img\/sharp-libvips-/;

it('every runtime package has a licence that permits use and redistribution', () => {
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
