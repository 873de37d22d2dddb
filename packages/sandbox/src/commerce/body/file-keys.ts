import { fileMessages } from '../../http/messages.ts';
import { longestFilename, space, withExtension } from '../../storage/filename.ts';
import { categories } from '../../store/tables.ts';
import { bodyOf, type Field, list, object, oneOf, text } from './fields.ts';

const filename: Field<string> = {
  schema: {
    type: 'string',
    pattern: withExtension.source,
    not: { pattern: space.source },
    maxLength: longestFilename,
    description: `With an extension and without a space; at most ${longestFilename} bytes.`,
  },
  read(value, name, problems) {
    const filename = text.read(value, name, problems);
    if (filename === '') return filename;
    if (!withExtension.test(filename)) problems.add(fileMessages.extensionMissing);
    if (space.test(filename)) problems.add(fileMessages.spaceNotAllowed);
    if (Buffer.byteLength(filename) > longestFilename)
      problems.add(`${name} must be shorter than or equal to ${longestFilename} bytes`);
    return filename;
  },
};

const fileKeys = list(object({ filename, category: oneOf(categories) }));

/** The body of `POST /signedUrls`. */
export const signingRequest = bodyOf(object({ action: oneOf(['write', 'read']), payload: fileKeys }));

/** The body of `POST /fileMetadata`. */
export const fileMetadataRequest = bodyOf(object({ payload: fileKeys }));
