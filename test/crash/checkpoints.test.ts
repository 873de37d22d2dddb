import { checkpointSuite } from '../_util/crash/checkpoint-suite.ts';
import { startFleet } from '../_util/crash/fleet.ts';

checkpointSuite('a gateway that is killed and started again', {
  start: () => startFleet(),
  revive: 'when-nobody-answers',
});
