import type { Order } from '../../catalog/catalog.ts';

/** What an order sorts by, under the name that its enum values begin with. */
type Fields<Row> = Record<string, Omit<Order<Row>, 'direction'>>;

/** Reads the values of an order enum, such as CREATED_AT_DESC. */
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

/** Values of an order by a name, for the enum. */
export const byName = (name: string) => ({
  NAME_ASC: {
    description: `By ${name} as text, by code point: capitals come before small letters, Latin before Japanese.`,
  },
  NAME_DESC: { description: `By ${name} as text, in reverse.` },
});
