import { TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox, type TestSandbox, turnSandbox } from '../testing/sandbox.ts';

/** A sandbox with two issuers, of whom the first has files that are ready. */
export interface IssueBench {
  test: TestSandbox;
  issuer: TestIssuer;
  other: TestIssuer;
  /** A public file. */
  image: string;
  /** A private one. */
  certificate: string;
  /** An entry that passes every check, except for the given fields. */
  entry(more?: Record<string, unknown>): Record<string, unknown>;
  withMetadata(more: Record<string, unknown>): Record<string, unknown>;
  turn(settings: object): Promise<void>;
  stop(): Promise<void>;
}

export async function startIssueBench(): Promise<IssueBench> {
  const test = await startTestSandbox();
  const issuer = new TestIssuer(test.sandbox.info);
  const image = (await issuer.uploadReady('ready.png', 'non_attachment_file', 'picture')).finalUrl;
  const certificate = (await issuer.uploadReady('ready.pdf', 'certificate', 'certificate')).finalUrl;
  const entry = (more: Record<string, unknown> = {}) => issuer.entry(image, more);
  return {
    test,
    issuer,
    other: new TestIssuer(test.sandbox.info, 1),
    image,
    certificate,
    entry,
    withMetadata: (more) => entry({ metadata: issuer.metadata(image, more) }),
    turn: (settings) => turnSandbox(test.sandbox, settings),
    stop: () => test.stop(),
  };
}
