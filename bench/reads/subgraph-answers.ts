import { type FieldNode, Kind, parse, type SelectionSetNode, valueFromASTUntyped } from 'graphql';
import type { Row, World } from './data.ts';

type Variables = Record<string, unknown>;

/** The plan for one query text, made when it is first received. */
interface Plan {
  /** Whether it queries only the newest block. */
  watchesOnly: boolean;
  answer(variables: Variables): string;
}

/**
 * Answers the contenders' subgraph queries with the selected fields: `srrs` by `id_in` or all of them, with
 * their related rows, and `_meta`. Ignores order and other filters. Renders the rows once for each query
 * text, so that the stand-in costs little processor time.
 */
export function subgraphAnswers({ srrs, byId }: World) {
  const plans = new Map<string, Plan>();
  const inRegistry = srrs.filter(({ collection }) => collection === null);
  const head = { number: 20_000_000, moving: false };

  function planOf(query: string): Plan {
    const document = parse(query);
    const fragments = new Map(
      document.definitions.flatMap((one) =>
        one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one.selectionSet] as const] : [],
      ),
    );
    const fieldsOf = (set: SelectionSetNode): FieldNode[] =>
      set.selections.flatMap((one) => {
        if (one.kind === Kind.FIELD) return [one];
        if (one.kind === Kind.INLINE_FRAGMENT) return fieldsOf(one.selectionSet);
        return fieldsOf(fragments.get(one.name.value) as SelectionSetNode);
      });
    const project = (value: unknown, set: SelectionSetNode | undefined): unknown => {
      if (!set || value === null) return value;
      if (Array.isArray(value)) return value.map((one) => project(one, set));
      const row = value as Row;
      return Object.fromEntries(
        fieldsOf(set).map(({ name, alias, selectionSet }) => [
          (alias ?? name).value,
          name.value === '__typename' ? typeOf(row) : project(row[name.value], selectionSet),
        ]),
      );
    };
    const operation = document.definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION);
    if (!operation) throw new Error('no operation');
    const fields = fieldsOf(operation.selectionSet).map((field) => {
      const rendered = new Map<string, string>();
      const render = (row: Row) => {
        const known = rendered.get(row.id) ?? JSON.stringify(project(row, field.selectionSet));
        rendered.set(row.id, known);
        return known;
      };
      const name = JSON.stringify((field.alias ?? field.name).value);
      return (variables: Variables) => `${name}:${answerOf(field, variables, render)}`;
    });
    return {
      watchesOnly: fieldsOf(operation.selectionSet).every(({ name }) => name.value === '_meta'),
      answer: (variables) => `{"data":{${fields.map((field) => field(variables)).join(',')}}}`,
    };
  }

  function answerOf(field: FieldNode, variables: Variables, render: (row: Row) => string): string {
    const argument = (name: string) => {
      const node = field.arguments?.find((one) => one.name.value === name)?.value;
      return node && valueFromASTUntyped(node, variables);
    };
    switch (field.name.value) {
      case '__typename':
        return '"Query"';
      case '_meta':
        return metaAt(argument('block') as { hash?: string } | null | undefined);
      case 'srrs': {
        const where = argument('where') as { id_in?: string[] } | null | undefined;
        const first = (argument('first') as number | undefined) ?? 100;
        const rows = where?.id_in
          ? where.id_in.map((id) => withId(id, render))
          : srrs.slice(0, first).map(render);
        return `[${rows.join(',')}]`;
      }
      default:
        throw new Error(`the stand-in has no ${field.name.value}`);
    }
  }

  /** Maps any id to a record, so that there is always an id that was not requested yet. */
  function withId(id: string, render: (row: Row) => string): string {
    const known = byId.get(id);
    if (known) return render(known);
    const row = inRegistry[Number.parseInt(id.slice(2, 8), 16) % inRegistry.length] as Row;
    return render(row).replaceAll(row.id, id);
  }

  function metaAt(block: { hash?: string } | null | undefined): string {
    if (!block?.hash && head.moving) head.number++;
    const number = block?.hash ? Number.parseInt(block.hash, 16) : head.number;
    const hash = `0x${number.toString(16).padStart(64, '0')}`;
    return `{"block":{"number":${number},"hash":"${hash}","timestamp":${number + 1_000_000_000}},"hasIndexingErrors":false}`;
  }

  return {
    head,
    plan(query: string): Plan {
      const plan = plans.get(query) ?? planOf(query);
      plans.set(query, plan);
      return plan;
    },
  };
}

const typeOf = (row: object) =>
  'tokenId' in row
    ? 'SRR'
    : 'symbol' in row
      ? 'Collection'
      : 'englishName' in row
        ? 'LicensedUserWallet'
        : 'SRRProvenance';
