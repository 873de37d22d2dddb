import type { z } from 'zod';

/**
 * For `transform`: parses each item between commas by itself. With several items an error names the number of
 * its own.
 */
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
