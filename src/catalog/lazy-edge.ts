/** An item of a page. Its cursor is encoded on demand: most clients read only the first and the last one. */
export class Edge<Node, Row = Node> {
  readonly node: Node;
  readonly #row: Row;
  readonly #cursorOf: (row: Row) => string;

  /** `cursorOf` is one function for all edges of a page. */
  constructor(node: Node, row: Row, cursorOf: (row: Row) => string) {
    this.node = node;
    this.#row = row;
    this.#cursorOf = cursorOf;
  }

  get cursor(): string {
    return this.#cursorOf(this.#row);
  }

  /** The same position in the list, with another node. */
  with<Other>(node: Other): Edge<Other, Row> {
    return new Edge(node, this.#row, this.#cursorOf);
  }
}

/** GraphQL's PageInfo; the cursors of an empty page are undefined. */
export class PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly #edges: readonly { cursor: string }[];

  constructor(
    edges: readonly { cursor: string }[],
    { hasNextPage, hasPreviousPage }: Pick<PageInfo, 'hasNextPage' | 'hasPreviousPage'>,
  ) {
    this.hasNextPage = hasNextPage;
    this.hasPreviousPage = hasPreviousPage;
    this.#edges = edges;
  }

  get startCursor(): string | undefined {
    return this.#edges[0]?.cursor;
  }

  get endCursor(): string | undefined {
    return this.#edges.at(-1)?.cursor;
  }
}
