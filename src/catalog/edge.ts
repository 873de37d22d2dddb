/** An item of a page. */
export interface Edge<Node> {
  node: Node;
  readonly cursor: string;
}

/** Makes an edge that encodes its cursor on demand: few clients read any but the first and the last. */
export function edgeOf<Node>(node: Node, cursorOf: () => string): Edge<Node> {
  return {
    node,
    get cursor() {
      return cursorOf();
    },
  };
}

/** GraphQL's PageInfo; the cursors of an empty page are undefined. */
export interface PageInfo {
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  readonly startCursor: string | undefined;
  readonly endCursor: string | undefined;
}

/** Makes the PageInfo of a page; its cursors are encoded on demand. */
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
