/** The rules of a filename, for uploads and for files that the service provisions. */

/** In bytes. Names are in a unique index of the database, whose entries hold at most 2,704 bytes. */
export const longestFilename = 1_024;

/** The last segment has text before and after its last dot. */
export const withExtension = /^([\s\S]*\/)?[^/]+\.[^/.]+$/;
export const space = /\s/;
