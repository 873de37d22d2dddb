/** Whether a text is a UUID as the store writes it; comparing anything else with one is an error there. */
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
