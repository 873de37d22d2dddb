/** Scopes of a token (`Scope` in the schema). */
export const scopes = ['read', 'upload', 'issue', 'webhooks'] as const;

export type Scope = (typeof scopes)[number];
