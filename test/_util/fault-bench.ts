import { TestIssuer } from '@srr-gateway/sandbox/testing/issuer';
import { turnSandbox } from '@srr-gateway/sandbox/testing/sandbox';
import { describe, expect, it } from 'vitest';
import type { Issuer } from '../../src/config/config.ts';
import type { TestGateway } from './gateway.ts';
import { GraphQLCaller } from './graphql-caller.ts';
import { startRecordedGateway } from './recorded-gateway.ts';
import type { RecordingProxy } from './recording-proxy.ts';
import { type Case, refusalOf, type ServiceAnswer } from './upload-calls.ts';

/** The size limit of files, which is low so that tests can also reach the limit of the service. */
export const fileLimit = 200_000;

export const wrongKey = 'a-key-that-is-nobodys';

/** A gateway, the service behind it, and callers with limited rights. */
export interface FaultBench {
  gateway: TestGateway;
  /** The proxy between the gateway and the service. */
  upstream: RecordingProxy;
  issuer: TestIssuer;
  /** A caller for an issuer whose configured key the service does not know. */
  misconfigured: GraphQLCaller;
  /** Tokens with one scope each. */
  reader: GraphQLCaller;
  uploader: GraphQLCaller;
  as(headers: Record<string, string>): GraphQLCaller;
  /** A caller that sends the service's own credentials. */
  passing(apiKey: string): GraphQLCaller;
  /** The response of the service itself. */
  refusal(
    endpoint: string,
    body: object,
    headers?: Record<string, string | undefined>,
  ): Promise<ServiceAnswer>;
  /** Must run after each test. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

export async function startFaultBench(): Promise<FaultBench> {
  const recorded = await startRecordedGateway({
    sandbox: { fileLimitBytes: fileLimit },
    issuers: ([first, second, ...others]) => [
      {
        ...(first as Issuer),
        tokens: [
          ...(first as Issuer).tokens,
          { token: 'reads-only', scopes: ['read'] },
          { token: 'uploads-only', scopes: ['upload'] },
          { token: 'issues-only', scopes: ['issue'] },
        ],
      },
      {
        ...(second as Issuer),
        apiKey: wrongKey,
        tokens: [{ token: 'misconfigured', scopes: ['read', 'upload', 'issue'] }],
      },
      ...others,
    ],
  });
  const { gateway, service: upstream } = recorded;
  const issuer = new TestIssuer(gateway.info);
  const as = (headers: Record<string, string>) => new GraphQLCaller(gateway.app.url, headers);
  return {
    gateway,
    upstream,
    issuer,
    misconfigured: as({ authorization: 'Bearer misconfigured' }),
    reader: as({ authorization: 'Bearer reads-only' }),
    uploader: as({ authorization: 'Bearer uploads-only' }),
    as,
    passing: (apiKey) => as({ 'commerce-api-key': apiKey, 'issuer-address': issuer.address }),
    refusal: (endpoint, body, headers = {}) => refusalOf(issuer, endpoint, body, headers),
    reset: async () => {
      upstream.afterAnswer = undefined;
      await turnSandbox(gateway.sandbox.sandbox, { clockOffsetMs: 0 });
    },
    stop: () => recorded.stop(),
  };
}

/** Registers a test for each expected response of each case. */
export function testEachCase(cases: Case[], bench: () => FaultBench): void {
  describe.each(cases)('$name', ({ sandbox, gateway }) => {
    if (sandbox) {
      const [ask, expected] = sandbox;
      it('is refused by the service as documented', async () => {
        expect(await ask()).toEqual(typeof expected === 'function' ? expected() : expected);
      });
    }

    it.each(gateway)('is a typed error of the gateway: %s', async (_, ask, expected) => {
      const answer = await ask();
      expect(answer).toMatchObject(expected);
      expect(answer.status).toBeLessThan(500);
      // An error must not contain a key or a signature.
      const secrets = new RegExp(`${wrongKey}|${bench().issuer.apiKey}|Signature=`);
      expect(JSON.stringify(answer)).not.toMatch(secrets);
    });
  });
}
