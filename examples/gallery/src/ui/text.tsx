/** A text of a document in the language that it is in, which a screen reader and the fonts go by, in its direction. */
export function Text({ of }: { of: { text: string; language?: string | null } | null | undefined }) {
  if (!of) return null;
  return (
    <span lang={of.language ?? undefined} dir="auto">
      {of.text}
    </span>
  );
}
