import { openSharedAnswers, type SharedAnswers } from '../graphql/execution/shared-answers.ts';
import { printGatewaySchema } from '../graphql/schema/schema.ts';
import { version } from '../lib/version.ts';
import type { AppOptions } from './options.ts';

/**
 * Opens the cache of answers that replicas share, if one is configured. `Head.current` decides which answers are
 * still current.
 */
export async function openAnswers(
  options: AppOptions,
  running: AsyncDisposableStack,
): Promise<SharedAnswers | undefined> {
  const { answersUrl } = options.secrets;
  if (answersUrl === undefined) return undefined;
  const answers = await openSharedAnswers(answersUrl, fingerprintOf(options), options.log);
  running.defer(() => answers.close());
  return answers;
}

/**
 * What answers depend on besides the block: the release with its schema, and every setting except those that may
 * differ between replicas. An unneeded setting here only means that fewer answers are shared.
 */
function fingerprintOf({ config, upstreams }: AppOptions): string {
  const { host, port, dataDir, databasePool, logLevel, traces, ipfsCache, pictureCache, ...common } = config;
  // Answers contain the gateway's address, which is this one without a PUBLIC_URL.
  const address = config.publicUrl ?? [host, port];
  // As a list: the text of a map is {}.
  const documents = [...(config.trustedDocuments ?? [])];
  return JSON.stringify([version, printGatewaySchema(), upstreams, common, documents, address]);
}
