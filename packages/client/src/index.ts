import { type Client, type ClientOptions, clientOn } from './client.ts';
import { type BrowserSource, browser } from './platform-browser.ts';

export type { BrowserSource } from './platform-browser.ts';
export * from './public.ts';

/** Makes a client of a gateway, for browsers. */
export const createClient = (options: ClientOptions): Client<BrowserSource> => clientOn(browser, options);
