import { startFleet } from '../_util/crash/fleet.ts';
import { randomKillSuite } from '../_util/crash/random-kill-suite.ts';

randomKillSuite('a gateway that is killed and started again', () =>
  startFleet({ sandbox: { SANDBOX_HASH_DELAY_MS: '400', SANDBOX_MINING_INTERVAL_MS: '300' } }),
);
