import { describe, expect, it } from 'vitest';
import { statusOfFile } from './files.ts';

const of = (state: object) =>
  statusOfFile({ filename: 'a.png', missing: false, inaccessible: false, ...state });

describe('the status of a file', () => {
  it.each([
    'HASH_STILL_IN_CALCULATION',
    'CID_STILL_IN_CALCULATION',
    'HASH_AND_CID_STILL_IN_CALCULATION',
    'The cid is still being calculated',
    'hash still calculating',
    'CALCULATION_IN_PROGRESS',
    'Calculation is pending',
    '',
    undefined,
  ])('is CALCULATING where the service says %s', (message) => {
    expect(of({ message })).toBe('CALCULATING');
    expect(of({ message, hash: 'sha256-00' })).toBe('CALCULATING');
  });

  it.each([
    'HASH_CALCULATION_FAILED',
    'The calculation of the cid has failed',
    'FILE_IS_CORRUPT',
    'Cannot be calculated: above 20 GB',
    'MAIN_CALCULATOR_AWAY',
  ])('is FAILED where the service says %s', (message) => {
    expect(of({ message })).toBe('FAILED');
  });

  it('is READY with hash and cid, whatever the message says', () => {
    expect(of({ hash: 'sha256-00', cid: 'bafy', message: 'a remark' })).toBe('READY');
  });

  it('is AWAITING_BYTES for a missing file, and FAILED for an inaccessible one', () => {
    expect(of({ missing: true })).toBe('AWAITING_BYTES');
    expect(of({ inaccessible: true })).toBe('FAILED');
  });
});
