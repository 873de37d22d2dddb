import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@srr-gateway/common/log';
import { type Address, keccak256, toHex } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Chain, startChain } from './chain.ts';
import { type FailureKind, failureReasons } from './failure.ts';
import { tokenId } from './token-id.ts';

const log = createLogger({ level: 'silent', name: 'test' });
const stateDir = mkdtempSync(join(tmpdir(), 'chain-'));
let chain: Chain;
let issuer: Address;

beforeAll(async () => {
  chain = await startChain({ stateDir, port: 0, miningIntervalMs: 50, log });
  issuer = await chain.registerLicensedUser({
    englishName: 'North Gallery',
    originalName: 'North Gallery',
    userType: 'handler',
    owners: [chain.accounts.owners[0]!.address],
    threshold: 1,
    salt: keccak256(toHex('gallery')),
  });
});
afterAll(async () => {
  await chain?.stop();
  rmSync(stateDir, { recursive: true, force: true });
});

// Others in each run of a test: its retry finds the records of the first run.
let run = 0;
beforeEach(() => void run++);
const cid = (name: string) => `bafkrei-${name}-${run}`;

const issue = (metadataCID: string, nextFailure?: () => FailureKind | undefined) =>
  chain.issue(
    { issuer, artist: issuer, isPrimaryIssuer: true, lockExternalTransfer: false, metadataCID },
    nextFailure,
  );

/** Fails the first attempts, and counts all attempts. */
function failingFirst(kind: FailureKind, attempts: number) {
  let seen = 0;
  return { nextFailure: () => (++seen <= attempts ? kind : undefined), seen: () => seen };
}

describe('a fault in a transaction', () => {
  it.each(['outOfFunds', 'nonce', 'underpriced'] as const)(
    '%s is retried, and the record is issued once it is over',
    async (kind) => {
      const { nextFailure, seen } = failingFirst(kind, 2);
      const others = Array.from({ length: 5 }, (_, n) => issue(cid(`${kind}-beside-${n}`)));
      expect(await issue(cid(kind), nextFailure)).toMatchObject({ status: 'mined' });
      expect(seen()).toBe(3);
      expect((await Promise.all(others)).map(({ status }) => status)).toEqual(Array(5).fill('mined'));
      expect(await chain.issued(chain.registryAddress, tokenId(cid(kind), issuer))).toBe(true);
    },
  );

  it.each(['outOfFunds', 'nonce', 'underpriced'] as const)(
    '%s that does not end is told in the words of the document',
    async (kind) => {
      const { nextFailure, seen } = failingFirst(kind, 100);
      expect(await issue(cid(`${kind}-for-ever`), nextFailure)).toEqual({
        status: 'failed',
        reason: failureReasons[kind],
      });
      expect(seen()).toBe(5);
    },
  );

  it('of gas over the allowance is final at once', async () => {
    const { nextFailure, seen } = failingFirst('gasAllowance', 100);
    expect(await issue(cid('gas'), nextFailure)).toEqual({
      status: 'failed',
      reason: failureReasons.gasAllowance,
    });
    expect(seen()).toBe(1);
  });

  it('does not affect later issuances of the operator', async () => {
    expect(await issue(cid('after'))).toMatchObject({ status: 'mined' });
    const { operator } = chain.accounts;
    expect(await chain.client.getBalance({ address: operator.address })).toBeGreaterThan(10n ** 21n);
  });
});

describe('a reorganisation', () => {
  it.each(['again', 'lost'] as const)(
    'mines the transactions of its blocks again, or loses them: %s',
    async (choice) => {
      const token = tokenId(cid(choice), issuer);
      const outcome = await issue(cid(choice));
      expect(outcome).toMatchObject({ status: 'mined' });
      const replaced = await chain.reorganise(1, choice);
      expect(replaced.transactions).toEqual([outcome.txHash]);
      if (choice === 'lost') expect(await chain.issued(chain.registryAddress, token)).toBe(false);
      else await expect.poll(() => chain.issued(chain.registryAddress, token)).toBe(true);
      expect(await issue(cid(`after-${choice}`))).toMatchObject({ status: 'mined' });
    },
  );
});
