import { setTimeout as sleep } from 'node:timers/promises';
import { checkEntries, checkOwnedCollections, chipsIn, occupy, release } from './entry-checks.ts';
import { tokenIdOf } from './ids.ts';
import { contentKey, type IssueLog } from './issue-log.ts';
import { type Accepted, mintTransaction, srrOf, subjectOf } from './mint.ts';
import { publicationOf } from './publication.ts';
import { checkRequest, type IssueBody } from './request-checks.ts';
import type { Reply, SeenRequest } from './web.ts';
import { authenticate, extended, Refused, type World } from './world.ts';

/** POST /commerce/srrs: all entries are accepted, or none. */
export async function issueSrrs(world: World, log: IssueLog, request: SeenRequest): Promise<Reply> {
  const { address } = authenticate(world, request);
  const body = request.body as IssueBody;
  try {
    return await accept(world, log, address, body);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    notAccepted(world, log, address, body, error.message);
    throw error;
  }
}

/** The effects of a request that was not accepted: log entries and deliveries of failures. */
export function notAccepted(
  world: World,
  log: IssueLog,
  issuer: string,
  body: IssueBody | undefined,
  message: string,
): void {
  const { logsRefusedRequestIds, deliveries } = world.variants;
  if (logsRefusedRequestIds) log.logRequestId(issuer, body);
  if (deliveries.tellsRefusals === 'NO') return;
  for (const { externalId } of body?.payload ?? [])
    if (deliveries.tellsRefusals === 'ALL' || !log.externalIds.has(`${issuer} ${externalId}`))
      world.deliveries.enqueue('failed', issuer, { about: 'RECORD', externalId }, message);
}

async function accept(world: World, log: IssueLog, issuer: string, body: IssueBody): Promise<Reply> {
  const { variants, chain } = world;
  log.check(variants, issuer, body);
  checkRequest(world, body);
  const acceptedAt = new Date();
  const accepted = await Promise.all(
    body.payload.map(async (entry): Promise<Accepted> => {
      const publication = await publicationOf(world, entry);
      const tokenId = tokenIdOf(publication.metadataCID, entry.artistAddress);
      return { entry, requestId: body.requestId, issuer, tokenId, publication, acceptedAt };
    }),
  );
  // Another request may have arrived in the meantime. From here to the entry in the log, nothing is awaited.
  log.check(variants, issuer, body);
  checkEntries(world, log, accepted);
  checkOwnedCollections(world, issuer, body.payload);
  takeQuotas(world, log, issuer, accepted);
  const content = contentKey(issuer, body);
  log.logRequestId(issuer, body);
  log.contents.set(content, 'in_progress');
  for (const one of accepted) occupy(log, one);
  await sleep(variants.processingMs);
  if (variants.contentSuccessful === 'ACCEPTED') log.contents.set(content, 'successful');
  let unmined = accepted.length;
  for (const one of accepted) {
    world.accepted.set(one.entry.externalId, one);
    for (const tree of one.publication.trees) world.publish(tree);
    const transaction = mintTransaction(world, one, (outcome, reason) => {
      if (outcome === 'MINED') {
        occupy(log, one);
        if (--unmined === 0) log.contents.set(content, 'successful');
        enqueueMinted(world, one);
      } else {
        release(world, log, one);
        log.contents.delete(content);
        world.deliveries.enqueue('failed', issuer, subjectOf(world, one), reason);
      }
    });
    chain.send(transaction);
  }
  const results = accepted.map((one) => ({
    status: 'waiting_for_mining',
    externalId: one.entry.externalId,
    srr: srrOf(world, one),
  }));
  return { status: 201, body: extended(variants, { results }) };
}

/** @throws Refused 500 */
function takeQuotas({ variants }: World, log: IssueLog, issuer: string, accepted: Accepted[]): void {
  const used = log.used.get(issuer) ?? { srrs: 0, chips: 0 };
  const srrs = used.srrs + accepted.length;
  const chips = used.chips + accepted.flatMap(chipsIn).length;
  if (srrs > variants.quota) throw new Refused(500, 'SERVICE_ERROR: Quota limit exceeded!');
  if (chips > variants.nfcAllowance) throw new Refused(500, 'SERVICE_ERROR: LUW missing NFC tag!');
  log.used.set(issuer, { srrs, chips });
}

function enqueueMinted(world: World, one: Accepted): void {
  const { deliveries, variants } = world;
  const { tells } = variants.deliveries;
  const subject = subjectOf(world, one);
  const reason = 'transaction underpriced';
  if (tells === 'FAILURE_FIRST') deliveries.enqueue('failed', one.issuer, subject, reason);
  deliveries.enqueue('issued', one.issuer, subject);
  if (tells === 'LATE_FAILURE') deliveries.enqueue('failed', one.issuer, subject, reason);
}
