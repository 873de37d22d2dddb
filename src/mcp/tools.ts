import type { GraphQLSchema } from 'graphql';
import type { Fault } from '../model/errors.ts';
import type { Scope } from '../model/scope.ts';
import type { Operation } from '../operations/operations.ts';
import { type Variable, variablesOf } from '../operations/variables.ts';
import { type InputSchema, inputSchema } from './input-schema.ts';

/** What a tool adds to its trusted document. */
interface Annotation {
  /** The name of the trusted document. */
  operation: string;
  title: string;
  /** When to use it and what to do next, for an agent without other context. */
  advice: string;
  /** The scope of the token that it needs. */
  scope?: Scope;
  destructive?: boolean;
  /** Whether a repeated call changes nothing more. The default is true. */
  idempotent?: boolean;
  /** The fault that a null answer means. */
  nullFault?: Fault;
}

/** A tool as agents see it, with the operation that it runs. */
export interface Tool extends Annotation {
  name: string;
  description: string;
  nullFault: Fault;
  isMutation: boolean;
  variables: readonly Variable[];
  inputSchema: InputSchema;
  annotations: {
    title: string;
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

const paging =
  'If the answer has a nextCursor, more items follow: call again with it as `after` and the same conditions.';

/** Tools do not take these: their answers have no cursor for going back. The opposite order finds the same records. */
const backwards = ['last', 'before'];

const annotatedTools: Record<string, Annotation> = {
  who_am_i: {
    operation: 'WhoAmI',
    title: 'Who am I',
    advice:
      'Use it first when something is refused, or before issuing: the scope UPLOAD is needed for files and ISSUE for records. Tools whose scope the token lacks are not listed.',
    nullFault: {
      code: 'UNAUTHENTICATED',
      message:
        'This connection sends no token, so it may only read what is public. Ask the user to configure the header "Authorization: Bearer <token>" for this MCP server.',
    },
  },
  list_records: {
    operation: 'ListRecords',
    title: 'List or search records',
    advice: `Each item is a summary; get_record shows the whole record. There is no search in titles: to find a work by its artist’s name, use artistNameContains. ${paging}`,
  },
  get_record: {
    operation: 'GetRecord',
    title: 'Show a record',
    advice:
      'metadataStatus says whether the document is genuine: only VERIFIED means that its bytes match what the chain names. `collection` is needed only for a record outside of the registry. If provenance has a nextCursor, pass it as transfersAfter.',
    nullFault: {
      code: 'NOT_FOUND',
      message:
        'There is no record with this tokenId in this contract. Give `collection` for a record outside of the registry, or find it with list_records. A record that was just issued by somebody else appears once it is mined.',
    },
  },
  list_licensed_users: {
    operation: 'ListLicensedUsers',
    title: 'Find artists and issuers',
    advice: `Use it to find the wallet address of an artist by name: records can be issued only for licensed users. userType is "artist" or "handler". ${paging}`,
  },
  verify_document: {
    operation: 'VerifyDocument',
    title: 'Verify a metadata document',
    advice:
      'Use metadataCID of a record as `cid`. VERIFIED proves that these bytes are the ones that the CID names, not that their content is true.',
  },
  list_issuances: {
    operation: 'ListIssuances',
    title: 'List issuances',
    scope: 'read',
    advice: `Use it to find a requestId that was lost; get_issuance then shows each record. ${paging}`,
  },
  get_issuance: {
    operation: 'GetIssuance',
    title: 'Check an issuance',
    scope: 'read',
    advice:
      'It is over when its status is COMPLETED, REJECTED or CANCELLED. Until then ask again every five to ten seconds; mining may take minutes. In the end each entry is ISSUED, and its srr.tokenId is the record, or FAILED with an error that says why. If entries has a nextCursor, pass it as `after`.',
    nullFault: {
      code: 'NOT_FOUND',
      message:
        'There is no issuance with this requestId, so nothing was issued under it. list_issuances shows those that exist.',
    },
  },
  upload_file: {
    operation: 'UploadFile',
    title: 'Upload a small file',
    scope: 'upload',
    idempotent: false,
    advice:
      'Use it for content that you can write out: up to 500,000 bytes, as text or as base64. Use create_uploads for larger ones, when you can run a command that sends a file. A filename takes content only once: if the answer to a call was lost, call get_uploads to see whether the file is there before you send it again. Give the `id` of the answer as `upload` in the entries of issue_records. The status need not be READY before that: an issuance waits for its files.',
  },
  create_uploads: {
    operation: 'CreateUploads',
    title: 'Get addresses to upload files to',
    scope: 'upload',
    advice:
      'Name at most 20 files in one call, so that the answer is not cut. It stores no bytes: send each file yourself within 15 minutes, for example with: curl --fail -X PUT -H "Content-Type: <contentType of the answer>" --upload-file <path> "<signedUrl>". A signedUrl is a secret for one file and needs no other credentials: show it to nobody. With sha256, content that was uploaded before is reused: a file whose status is then not AWAITING_BYTES needs no PUT. Give each `id` as `upload` in the entries of issue_records.',
  },
  get_uploads: {
    operation: 'GetUploads',
    title: 'Check uploaded files',
    scope: 'read',
    advice:
      'AWAITING_BYTES: nothing was sent yet. CALCULATING: stored, and its hash and CID follow within minutes. READY: both are known.',
  },
  validate_records: {
    operation: 'ValidateRecords',
    title: 'Check records without issuing them',
    scope: 'issue',
    advice:
      'Call it before issue_records, with the same entries: it costs nothing and changes nothing. Go on when valid is true. A warning FILE_NOT_READY is no obstacle once the bytes are sent.',
  },
  issue_records: {
    operation: 'IssueRecords',
    title: 'Issue records',
    scope: 'issue',
    destructive: true,
    advice:
      'It mints on a blockchain and may use up a paid quota: let the user confirm the entries first. The steps: find the artist’s address (list_licensed_users), upload thumbnail and image (NON_ATTACHMENT_FILE) and any attachments, validate_records, issue_records, then get_issuance until it is over. Choose a requestId, such as a UUID, and write it down before the call; after a lost answer call again with the same requestId and entries, never with a new one. Other entries under a used requestId are refused with IDEMPOTENCY_CONFLICT. A record names one artist; give one entry for each record.',
  },
};

/** The tools in the order in which agents see them. @throws Error when the document of a tool is missing. */
export function createTools(operations: ReadonlyMap<string, Operation>, schema: GraphQLSchema): Tool[] {
  return Object.entries(annotatedTools).map(([name, annotation]) => {
    const operation = operations.get(annotation.operation);
    if (!operation) throw new Error(`The tool ${name} has no operation ${annotation.operation}.`);
    const variables = variablesOf(schema, operation).filter(({ name }) => !backwards.includes(name));
    const isMutation = operation.definition.operation === 'mutation';
    const { title, advice, destructive = false, idempotent = true } = annotation;
    return {
      nullFault: { code: 'NOT_FOUND', message: 'Nothing was found.' },
      ...annotation,
      name,
      isMutation,
      description: `${operation.description} ${advice}`,
      variables,
      inputSchema: inputSchema(variables),
      annotations: {
        title,
        readOnlyHint: !isMutation,
        destructiveHint: destructive,
        idempotentHint: idempotent,
        // Records, their documents and names are written by others.
        openWorldHint: true,
      },
    };
  });
}
