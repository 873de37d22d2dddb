/** A text of a document, marked with its language (for screen readers and fonts) and its direction. */
export function Text({ of }: { of: { text: string; language?: string | null } | null | undefined }) {
  if (!of) return null;
  return (
    <span lang={of.language ?? undefined} dir="auto">
      {of.text}
    </span>
  );
}
