import type { IncomingMessage } from 'node:http';
import type { Address } from '@srr-gateway/common/address';
import { expect, it, vi } from 'vitest';
import { withTables } from '../../test/_util/with-tables.ts';
import type { Db } from '../store/tables.ts';
import { anonymous } from './caller.ts';
import { costBudgets, requestBudgets } from './caller-budget.ts';
import { RateLimiter } from './rate-limiter.ts';
import { credentialsIn } from './request-credentials.ts';

let db: Db;
withTables((opened) => {
  db = opened;
});

const issuer: Address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const req = { socket: { remoteAddress: '192.0.2.1' }, headers: {} } as unknown as IncomingMessage;
const now = Date.now();
const limiterOf = (limit: number) => new RateLimiter(db, limit, () => now);

it('the cost of operations does not count as requests when replicas exchange both', async () => {
  // A retry finds the counts of the first run.
  await db.deleteFrom('rate_window').execute();
  const [requests, costs] = [limiterOf(100), limiterOf(100)];
  const unknown = { verifiedIssuer: () => undefined, verify: async () => undefined };
  const chargeRequest = requestBudgets(requests, unknown, 0);
  costBudgets(costs, 0)({ req }, anonymous, 60);
  await costs.exchange();
  for (let n = 0; n < 10; n++) await chargeRequest(req, { kind: 'nothing' });
  await requests.exchange();
  expect(await chargeRequest(req, { kind: 'nothing' })).toMatchObject({ remaining: 89 });
});

it('a token is refused when its budget is spent, and that of its address', async () => {
  const authenticator = { verifiedIssuer: () => undefined, verify: async () => issuer };
  const chargeRequest = requestBudgets(limiterOf(1), authenticator, 0);
  const refusals = [];
  for (let n = 0; n < 3; n++)
    refusals.push((await chargeRequest(req, credentialsIn({ authorization: 'Bearer a' })))?.refusal);
  expect(refusals).toEqual([undefined, undefined, expect.stringContaining('(RATE_LIMIT)')]);
});

it('a caller whose token was verified is refused without another look-up of it', async () => {
  const verify = vi.fn(async () => issuer);
  const chargeRequest = requestBudgets(limiterOf(1), { verifiedIssuer: () => issuer, verify }, 0);
  for (let n = 0; n < 3; n++) await chargeRequest(req, credentialsIn({ authorization: 'Bearer a' }));
  expect(verify).not.toHaveBeenCalled();
});
