import type { Order } from '../../catalog/catalog.ts';

/** Sort fields by the prefix of their enum values. */
type Fields<Row> = Record<string, Omit<Order<Row>, 'direction'>>;

/** Makes a parser of an order's enum values, such as CREATED_AT_DESC. */
export function listOrder<Row>(fields: Fields<Row>): (name: string) => Order<Row> {
  return (name) => {
    const field = fields[name.replace(/_(ASC|DESC)$/, '')];
    if (!field) throw new Error(`no list is ordered by ${name}`);
    return { ...field, direction: name.endsWith('_DESC') ? 'desc' : 'asc' };
  };
}

/** The times that every row has. */
export const timeFields: Fields<{ createdAt: string; updatedAt: string }> = {
  CREATED_AT: { field: 'createdAt', valueOf: (row) => row.createdAt },
  UPDATED_AT: { field: 'updatedAt', valueOf: (row) => row.updatedAt },
};

/** Enum values of an order by name. */
export const byName = (name: string) => ({
  NAME_ASC: {
    description: `By ${name} as text, by code point: capitals come before small letters, Latin before Japanese.`,
  },
  NAME_DESC: { description: `By ${name} as text, in reverse.` },
});
