/** An item of a page. */
export interface Edge<Node> {
  node: Node;
  readonly cursor: string;
}

/** Its cursor is written out when somebody asks for it: few do, and of the first and last edge mostly. */
export function edgeOf<Node>(node: Node, cursorOf: () => string): Edge<Node> {
  return {
    node,
    get cursor() {
      return cursorOf();
    },
  };
}

export interface PageInfo {
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  readonly startCursor: string | undefined;
  readonly endCursor: string | undefined;
}

export function pageInfoOf(
  edges: readonly Edge<unknown>[],
  beyond: Pick<PageInfo, 'hasNextPage' | 'hasPreviousPage'>,
): PageInfo {
  return {
    ...beyond,
    get startCursor() {
      return edges[0]?.cursor;
    },
    get endCursor() {
      return edges.at(-1)?.cursor;
    },
  };
}
