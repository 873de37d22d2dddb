/** One page of rows in a fixed order, and whether more follow. */
export interface Page<Row> {
  rows: Row[];
  more: boolean;
}

/** A page of `first` rows, of which one more was asked for. */
export const pageOf = <Row>(found: Row[], first: number): Page<Row> => ({
  rows: found.slice(0, first),
  more: found.length > first,
});
