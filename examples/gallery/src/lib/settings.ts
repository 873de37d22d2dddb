import { createStore } from './store.ts';

/** A string in localStorage. */
function stored(key: string, initial: string) {
  const store = createStore(localStorage.getItem(key) ?? initial);
  store.subscribe(() => localStorage.setItem(key, store.get()));
  return store;
}

export const languages = { en: 'English', ja: '日本語', zh: '中文' } as const;
export type Language = keyof typeof languages;

const preferred = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag in languages);

export const language = stored('language', preferred ?? 'en');
export const useLanguage = () => language.use() as Language;

/** light, dark, or empty for what the system prefers. */
export const theme = stored('theme', '');

/** The issuer's bearer token. Your app would have a session instead of a field to paste it into. */
export const token = stored('token', '');

export const gateway = document.querySelector<HTMLMetaElement>('meta[name=gateway]')?.content ?? '/graphql';
