/** An address short enough to read; all of it is in its title. */
export const Address = ({ of }: { of: string }) => (
  <span className="mono" title={of}>
    {of.slice(0, 6)}…{of.slice(-4)}
  </span>
);
