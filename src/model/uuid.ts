/** Whether a text is a UUID as PostgreSQL writes it. It refuses to compare other text with a UUID. */
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
