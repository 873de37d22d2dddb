/** The chip alias carries the vendor's name at the place of `vendor`. */
export function chipAlias(vendorPrefix: string): string {
  return `${vendorPrefix}CertICTagUIDs`;
}
