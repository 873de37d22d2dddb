/** Whether a text is a UUID in PostgreSQL's form. Comparing a uuid column with other text is an error. */
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
