import { builder } from './builder.ts';
import './types/collection.ts';
import './types/create-collection.ts';
import './types/event.ts';
import './types/event-feeds.ts';
import './types/issuance.ts';
import './types/issuance-queries.ts';
import './types/issue-operations.ts';
import './types/licensed-user.ts';
import './types/metadata.ts';
import './types/scalars.ts';
import './types/source.ts';
import './types/srr.ts';
import './types/upload.ts';
import './types/upload-operations.ts';
import './types/user-error.ts';
import './types/viewer.ts';

/** The whole schema. Each import above adds its types to the builder. */
export const schema = builder.toSchema({ sortSchema: true });
