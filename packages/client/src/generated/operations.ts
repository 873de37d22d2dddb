// Made from schema/gateway.graphql by `npm run codegen`.

import type { TypedText } from '../document.ts';
import type {
  CreateUploadsMutation,
  CreateUploadsMutationVariables,
  EventsSubscription,
  EventsSubscriptionVariables,
  FindIssuanceQuery,
  FindIssuanceQueryVariables,
  HeadCursorQuery,
  HeadCursorQueryVariables,
  IssuanceEntriesQuery,
  IssuanceEntriesQueryVariables,
  IssueSRRsMutation,
  IssueSRRsMutationVariables,
  UploadFileMutation,
  UploadFileMutationVariables,
  UploadStateQuery,
  UploadStateQueryVariables,
  WatchIssuanceSubscription,
  WatchIssuanceSubscriptionVariables,
} from './types.ts';

export const events =
  'subscription Events($after:String$from:EventStart$where:EventFilter){events(after:$after from:$from where:$where){__typename id cursor type source receivedAt ...on SRRIssued{externalId srr{id tokenId}}...on SRRFailed{externalId error{...Fault}}...on TransferReserved{record:srr{id tokenId}}...on TransferCompleted{record:srr{id tokenId}}...on CollectionCreated{address}...on CollectionFailed{expectedAddress:address error{...Fault}}...on IssuanceRejected{requestId error{...Fault}}...on WebhookEndpointDisabled{message webhookEndpoint}...on UnrecognizedEvent{kind}}}fragment Fault on UserError{code message path externalId upstreamMessage}' as TypedText<
    EventsSubscription,
    EventsSubscriptionVariables
  >;

export const headCursor =
  'query HeadCursor{events(first:0){headCursor}}' as TypedText<
    HeadCursorQuery,
    HeadCursorQueryVariables
  >;

export const issueSRRs =
  'mutation IssueSRRs($input:IssueSRRsInput!){issueSRRs(input:$input){issuance{...IssuanceState}userErrors{...Fault}}}fragment IssuanceState on Issuance{id requestId status progress{total filesTotal filesReady accepted issued failed}error{...Fault}createdAt updatedAt completedAt}fragment Fault on UserError{code message path externalId upstreamMessage}' as TypedText<
    IssueSRRsMutation,
    IssueSRRsMutationVariables
  >;

export const watchIssuance =
  'subscription WatchIssuance($id:ID!){issuance(id:$id){...IssuanceState}}fragment IssuanceState on Issuance{id requestId status progress{total filesTotal filesReady accepted issued failed}error{...Fault}createdAt updatedAt completedAt}fragment Fault on UserError{code message path externalId upstreamMessage}' as TypedText<
    WatchIssuanceSubscription,
    WatchIssuanceSubscriptionVariables
  >;

export const findIssuance =
  'query FindIssuance($id:ID$requestId:String){issuance(id:$id requestId:$requestId){...IssuanceState}}fragment IssuanceState on Issuance{id requestId status progress{total filesTotal filesReady accepted issued failed}error{...Fault}createdAt updatedAt completedAt}fragment Fault on UserError{code message path externalId upstreamMessage}' as TypedText<
    FindIssuanceQuery,
    FindIssuanceQueryVariables
  >;

export const issuanceEntries =
  'query IssuanceEntries($id:ID!$after:String){issuance(id:$id){...IssuanceState entries(first:200 after:$after){edges{node{...IssuedEntry}}pageInfo{hasNextPage endCursor}}}}fragment IssuanceState on Issuance{id requestId status progress{total filesTotal filesReady accepted issued failed}error{...Fault}createdAt updatedAt completedAt}fragment Fault on UserError{code message path externalId upstreamMessage}fragment IssuedEntry on IssuanceEntry{id externalId status outcomeSource error{...Fault}srr{id tokenId contractAddress metadataCID indexing}}' as TypedText<
    IssuanceEntriesQuery,
    IssuanceEntriesQueryVariables
  >;

export const createUploads =
  'mutation CreateUploads($input:CreateUploadsInput!){createUploads(input:$input){uploads{...UploadParts signedUrl proxyUrl}userErrors{...Fault}}}fragment UploadParts on Upload{id filename category contentType status finalUrl size hash cid message}fragment Fault on UserError{code message path externalId upstreamMessage}' as TypedText<
    CreateUploadsMutation,
    CreateUploadsMutationVariables
  >;

export const uploadFile =
  'mutation UploadFile($input:UploadFileInput!){uploadFile(input:$input){upload{...UploadParts}userErrors{...Fault}}}fragment UploadParts on Upload{id filename category contentType status finalUrl size hash cid message}fragment Fault on UserError{code message path externalId upstreamMessage}' as TypedText<
    UploadFileMutation,
    UploadFileMutationVariables
  >;

export const uploadState =
  'query UploadState($files:[FileKeyInput!]!){uploads(files:$files){...UploadParts}}fragment UploadParts on Upload{id filename category contentType status finalUrl size hash cid message}' as TypedText<
    UploadStateQuery,
    UploadStateQueryVariables
  >;
