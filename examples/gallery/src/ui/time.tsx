import { useLanguage } from '../lib/settings.ts';

export function Time({ at, clock = false }: { at: string; clock?: boolean }) {
  const format = new Intl.DateTimeFormat(useLanguage(), {
    dateStyle: 'medium',
    ...(clock && { timeStyle: 'medium' as const }),
  });
  return <time dateTime={at}>{format.format(new Date(at))}</time>;
}
