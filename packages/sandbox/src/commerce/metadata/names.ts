/** The vendor's own name for the metadata field `chipUIDs`. */
export function chipAlias(vendorPrefix: string): string {
  return `${vendorPrefix}CertICTagUIDs`;
}
