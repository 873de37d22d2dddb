import type { EntityModel } from './entity-model.ts';
import { rootNames } from './root-names.ts';

const block = '"The block to answer at; the latest one when absent." block: Block_height';
const errors =
  '"`allow` gives data even when the index skipped errors." subgraphError: _SubgraphErrorPolicy_! = deny';

/** SDL of the arguments of every list of an entity, at the root and in other entities. */
export function listArguments(entity: string): string {
  return `skip: Int = 0, first: Int = 100, orderBy: ${entity}_orderBy, orderDirection: OrderDirection, where: ${entity}_filter`;
}

/** SDL of the root type: for every entity a field for one and a field for a list, and `_meta`. */
export function queryType(model: EntityModel): string {
  const fields = model.entities.map(({ name }) => {
    const { one, many } = rootNames(name);
    return `  ${one}(id: ID!, ${block}, ${errors}): ${name}
  ${many}(${listArguments(name)}, ${block}, ${errors}): [${name}!]!`;
  });
  return `type Query {
${fields.join('\n')}
  "Which block the index has reached, and how it fares."
  _meta(block: Block_height): _Meta_
}`;
}
