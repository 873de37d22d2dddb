import { startTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';

/** A gateway whose calls to the service go through a proxy, which records them and can change responses. */
export interface RecordedGateway {
  gateway: TestGateway;
  /** The proxy between the gateway and the service. */
  service: RecordingProxy;
  /** Clears the recorded calls, and all faults of the sandbox. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

export async function startRecordedGateway(options: TestGatewayOptions = {}): Promise<RecordedGateway> {
  const service = await startRecordingProxy();
  const gateway = await startTestGateway({
    ...options,
    upstreams: { ...options.upstreams, commerceUrl: service.url },
  });
  service.target = gateway.info.commerceUrl;
  return {
    gateway,
    service,
    reset: async () => {
      service.answerInstead = undefined;
      service.afterAnswer = undefined;
      service.beforeCall = undefined;
      service.clear();
      await fetch(`${gateway.info.commerceUrl}/sandbox/faults`, { method: 'DELETE' });
    },
    stop: async () => {
      await gateway.stop();
      await service.stop();
    },
  };
}
