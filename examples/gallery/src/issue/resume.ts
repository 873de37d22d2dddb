import { followIssuance } from './follow.ts';
import { getState } from './state.ts';
import { submit, submitWhenUploaded } from './submit.ts';
import { resumeUploads } from './upload.ts';

// Runs once, when it is imported: resumes what was in progress before a reload.
const { phase } = getState().draft;
if (phase === 'sent') void followIssuance();
else if (phase === 'sending') void submit();
else {
  resumeUploads();
  void submitWhenUploaded();
}
