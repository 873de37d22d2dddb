import { type Language, useLanguage } from '../lib/settings.ts';
import { en } from './en.ts';
import { ja } from './ja.ts';
import { zh } from './zh.ts';

const all: Record<Language, typeof en> = { en, ja, zh };

/** The words of the page in the chosen language. */
export const useWords = () => all[useLanguage()];
