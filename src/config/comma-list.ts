import type { z } from 'zod';

/** For `transform`: what stands between commas, each by itself. With several, a fault tells which by its number. */
export function commaList<Item>(item: z.ZodType<Item, string>, word: string) {
  return (text: string, ctx: z.RefinementCtx): Item[] => {
    const parts = text.split(',');
    return parts.flatMap((part, i) => {
      const parsed = item.safeParse(part.trim());
      if (parsed.success) return [parsed.data];
      const which = parts.length > 1 ? `${word} ${i + 1} ` : '';
      for (const { message } of parsed.error.issues)
        ctx.addIssue({ code: 'custom', message: `${which}${message}` });
      return [];
    });
  };
}
