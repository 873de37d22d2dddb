import { collectDefaultMetrics, Registry } from '@prometheus-io/client';

let registry: Registry | undefined;

/** Memory, processor, event loop and garbage collection: of the process, however many gateways run in it. */
export function processMetrics(): Registry {
  if (!registry) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
