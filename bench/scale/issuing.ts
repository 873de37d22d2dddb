import { GraphQLCaller } from '../../test/_util/graphql-caller.ts';
import { issueAndFollow } from '../flow/issue.ts';
import { costing, round } from './costing.ts';
import type { Deployment } from './deployment.ts';

const clients = 8;
const recordsEach = 3;

/** Issues records with several clients, each of which sends its next issuance when the last is complete. */
export async function issue(deployment: Deployment, count: number) {
  const { url, issuing, service } = deployment;
  const caller = new GraphQLCaller(url, { authorization: `Bearer ${issuing.token}` });
  const picture = { upload: await caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
  const one = () => issueAndFollow({ caller, info: service }, picture, recordsEach);
  await one();
  let left = count;
  const client = async () => {
    while (left-- > 0) await one();
  };
  const startedAt = performance.now();
  const { cost } = await costing(
    deployment,
    () => Promise.all(Array.from({ length: clients }, client)),
    () => count,
  );
  return { perSecond: round((count * 1000) / (performance.now() - startedAt), 1), cost };
}
