/** A shortened address; the title attribute has all of it. */
export const Address = ({ of }: { of: string }) => (
  <span className="mono" title={of}>
    {of.slice(0, 6)}…{of.slice(-4)}
  </span>
);
