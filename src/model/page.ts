/** One page of rows in a fixed order, and whether more follow. */
export interface Page<Row> {
  rows: Row[];
  more: boolean;
}

/** A page of `first` rows from a query for one more. */
export const pageOf = <Row>(found: Row[], first: number): Page<Row> => ({
  rows: found.slice(0, first),
  more: found.length > first,
});
