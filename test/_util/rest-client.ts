/**
 * srr-gateway: plain HTTP
 * 1.0.0
 * DO NOT MODIFY - This file has been generated using oazapfts.
 * See https://www.npmjs.com/package/oazapfts
 */
import * as Oazapfts from "@oazapfts/runtime";
import * as QS from "@oazapfts/runtime/query";
export const defaults: Oazapfts.Defaults<Oazapfts.CustomHeaders> = {
    headers: {},
    baseUrl: "."
};
const oazapfts = Oazapfts.runtime(defaults);
export const servers = {
    theGatewayThatServesThisDocument: "."
};
export type SrrOrder = "CREATED_AT_ASC" | "CREATED_AT_DESC" | "TOKEN_ID_ASC" | "TOKEN_ID_DESC" | "UPDATED_AT_ASC" | "UPDATED_AT_DESC";
export type Address = string;
export type TokenId = string;
export type Cid = string;
export type DateTime = string;
export type Indexing = "INDEXED" | "NOT_YET_INDEXED" | "UNAVAILABLE";
export type Party = {
    /** The user’s wallet address. */
    address: Address;
    /** The user’s name in English. */
    englishName: string;
    /** The user’s name in the user’s own language. */
    originalName: string;
};
export type MetadataStatus = "BLOCKED" | "HASH_MISMATCH" | "INVALID_JSON" | "NOT_FOUND" | "PENDING" | "TIMEOUT" | "TOO_LARGE" | "UNAVAILABLE" | "UNVERIFIED" | "VERIFIED";
export type LanguageMap = {
    [key: string]: string;
};
export type Text = {
    /** The text in the first language that has one: those of the argument, then Accept-Language, then English, then any. */
    text: string;
    /** The language of what `text` returns, as a BCP-47 tag, for lang= in a page. Null when the document names no language. */
    language: string | null;
    /** The text in every language that the document has, the first 1000; "und" marks a text without a language. */
    all: LanguageMap;
};
export type Url = string;
export type Picture = {
    /** The address as recorded in the document: ipfs://, http(s):// or a bare CID. */
    uri: string;
    /** The address where a browser can load the file: at the first configured IPFS gateway when it is on IPFS, else as recorded. With transform it is the address of a smaller picture at this gateway, which checks the bytes of the original against their CID; a file that is not named by a CID alone has the same address as without transform. */
    url: Url;
    /** The CID of the file, or of the directory that it is in when the address has a path after the CID. Null when the file is not on IPFS. */
    cid: Cid | null;
};
export type RecordSummary = {
    /** The token id of the record, unique within its contract. */
    tokenId: TokenId;
    /** The address of the token’s contract: its collection’s, or the registry’s. Null for a registry record when the gateway does not know the registry’s address. */
    contractAddress: Address | null;
    /** Whether the subgraph has this record. */
    indexing: Indexing;
    /** The address that owns the token. From the subgraph. */
    owner: Address | null;
    /** The artist’s wallet address. From the subgraph. */
    artistAddress: Address | null;
    /** The artist as a licensed user. Null when the artist is not one; artistAddress still has the address. From the subgraph. */
    artist: Party | null;
    /** The licensed user who issued the record. From the subgraph. */
    issuer: Party | null;
    /** Whether the issuer is the primary issuer of the work. From the subgraph. */
    isPrimaryIssuer: boolean | null;
    /** The CID of the metadata document, from the subgraph, or from the issuance service’s answer until it is indexed. Null for records from before 2023. */
    metadataCID: Cid | null;
    /** Whether the metadata document is available, and if not, why. */
    metadataStatus: MetadataStatus;
    /** The metadata document, checked against its CID, from IPFS (before 2023: from the issuance service). metadataStatus says whether it is verified, or why it is null. */
    metadata: {
        /** The name of the record, shown by wallets and marketplaces. Null when the document does not state it. */
        name: string | null;
        /** The title of the work, by language. Null when the document does not state it. */
        title: Text | null;
        /** The picture of the work. Null when its address is not http(s) or IPFS. */
        image: Picture | null;
    } | null;
    /** When the record was minted. From the subgraph. */
    createdAt: DateTime | null;
    /** When the record last changed on chain. A change of its transfer lock does not count. From the subgraph. */
    updatedAt: DateTime | null;
};
export type ProblemFault = {
    /** The code, for programs: an `ErrorCode` of the GraphQL schema, or one of HTTP. */
    code: string;
    /** What is wrong and what to do, for people. */
    detail: string;
    /** The path or query parameter at fault. */
    parameter?: string;
    /** A JSON pointer to the fault: into the body that was sent, or to the missing part of the answer. */
    pointer?: string;
    /** The external id of the entry that is at fault. */
    externalId?: string;
    /** The message of the system behind the gateway, verbatim. */
    upstreamMessage?: string;
};
export type Incomplete = {
    /** Parts of this answer that are null because their source failed. Absent when there are none. For a missing document see metadataStatus. */
    errors?: ProblemFault[];
};
export type Problem = {
    /** The kind of problem: `urn:problem-type:srr-gateway:` and its code. It never changes. */
    "type": string;
    /** The code in words. */
    title: string;
    /** The status of the response. */
    status: number;
    /** The code, for programs: an `ErrorCode` of the GraphQL schema, or one of HTTP. */
    code: string;
    /** What is wrong and what to do, for people. */
    detail: string;
    /** The path or query parameter at fault. */
    parameter?: string;
    /** A JSON pointer to the fault: into the body that was sent, or to the missing part of the answer. */
    pointer?: string;
    /** The external id of the entry that is at fault. */
    externalId?: string;
    /** The message of the system behind the gateway, verbatim. */
    upstreamMessage?: string;
    /** All faults, the first one included, when there are several. */
    errors?: ProblemFault[];
    /** For a failure of the gateway itself: the id under which its log has it. */
    errorId?: string;
    /** For CURSOR_EXPIRED: the cursor of the same row at the newest block. */
    continueAfter?: string;
    /** For RATE_LIMITED: the seconds to wait. */
    retryAfter?: number;
    /** For RATE_LIMITED by cost: what this request costs, and what is left of the limit. */
    cost?: {
        asked?: number;
        left?: number;
        limit?: number;
    };
    /** For a request that costs too much: the longest page that is accepted; 0 when none is short enough. */
    fits?: {
        first?: number;
    };
};
export type HashedFile = {
    /** The category of the file as the document writes it, such as artwork. Empty when the document names none. fileCategory has it as an enum. */
    category: string;
    /** The hash of the file’s content, as sha256-<hex>. */
    hash: string;
    /** The CID of the content as one block, derived from the hash. Large files are on IPFS in several blocks, under another CID. Null for other kinds of hashes. */
    cid: Cid | null;
};
export type BigInt = string;
export type Record = {
    /** The global id of this record. It never changes. */
    id: string;
    /** The token id of the record, unique within its contract. */
    tokenId: TokenId;
    /** The address of the token’s contract: its collection’s, or the registry’s. Null for a registry record when the gateway does not know the registry’s address. */
    contractAddress: Address | null;
    /** Whether the subgraph has this record. */
    indexing: Indexing;
    /** The address that owns the token. From the subgraph. */
    owner: Address | null;
    /** The artist’s wallet address. From the subgraph. */
    artistAddress: Address | null;
    /** The artist as a licensed user. Null when the artist is not one; artistAddress still has the address. From the subgraph. */
    artist: Party | null;
    /** The licensed user who issued the record. From the subgraph. */
    issuer: Party | null;
    /** Whether the issuer is the primary issuer of the work. From the subgraph. */
    isPrimaryIssuer: boolean | null;
    /** The CID of the metadata document, from the subgraph, or from the issuance service’s answer until it is indexed. Null for records from before 2023. */
    metadataCID: Cid | null;
    /** Whether the metadata document is available, and if not, why. */
    metadataStatus: MetadataStatus;
    /** The metadata document, checked against its CID, from IPFS (before 2023: from the issuance service). metadataStatus says whether it is verified, or why it is null. */
    metadata: {
        /** The name of the record, shown by wallets and marketplaces. Null when the document does not state it. */
        name: string | null;
        /** The title of the work, by language. Null when the document does not state it. */
        title: Text | null;
        /** The picture of the work. Null when its address is not http(s) or IPFS. */
        image: Picture | null;
        /** The address of the metadata schema that the document follows. Empty when it names none. */
        schema: string;
        /** A description of the record for marketplaces. Null when the document does not state it. */
        description: string | null;
        /** The medium of the work (what it is made of), by language. Null when the document does not state it. */
        medium: Text | null;
        /** The year of creation, by language, as free text. Null when the document does not state it. */
        yearOfCreation: Text | null;
        /** Whether the work is digital. Null when the document does not state it. */
        isDigital: boolean | null;
        /** The address of a page about the work. Null when it is not an http(s) or IPFS address. */
        externalUrl: string | null;
        /** The size of the work. Null when the document does not state it. */
        size: {
            /** The width, as a number of `unit`. Null when the document does not state it. */
            width: number | null;
            /** The height, as a number of `unit`. Null when the document does not state it. */
            height: number | null;
            /** The depth, as a number of `unit`. Null when the document does not state it. */
            depth: number | null;
            /** The unit of the numbers as the document writes it; sizeUnit has it as an enum. Null when the document does not state it. */
            unit: string | null;
            /** A description of the size in words, by language, for works that numbers do not fit. Null when the document does not state it. */
            flexibleDescription: Text | null;
        } | null;
        /** The edition of the work: which copy of how many. Null when the document does not state it. */
        edition: {
            /** The number of this copy within the edition. Null when the document does not state it. */
            "number": number | null;
            /** The total number of copies in the edition. Null when the document does not state it. */
            totalNumber: number | null;
            /** The type of proof as the metadata schema defines it, such as "ED". Null when the document does not state it. */
            proofType: string | null;
            /** The uniqueness of the work as the metadata schema defines it, such as "unique work". Null when the document does not state it. */
            uniqueness: string | null;
        } | null;
        /** A small picture of the work. Null when its address is not http(s) or IPFS. */
        thumbnail: Picture | null;
        /** The royalty and the terms of the contract that comes with the record. Null when the document does not state it. */
        contractTerms: {
            /** The royalty on a resale, in percent, as the document states it. Null when the document does not state it. */
            royaltyRate: number | null;
            /** The file with the text of the terms. Null when its address is not http(s) or IPFS. */
            file: Picture | null;
        } | null;
        /** The UIDs of the record’s NFC tags; the first 1000. The deprecated alias field is read when the document has no chipUIDs. Null when the document lists none. */
        chipUIDs: string[] | null;
        /** The files that a digital work itself consists of, by hash; the first 1000. Null when the document does not state it. */
        digitalComponents: HashedFile[] | null;
        /** The certificates, evidence and instructions that belong to the record; the first 1000. The document names them by hash only; whoever knows the CID of one can read it. Null when the document lists none. */
        attachmentFiles: HashedFile[] | null;
    } | null;
    /** When the record was minted. From the subgraph. */
    createdAt: DateTime | null;
    /** When the record last changed on chain. A change of its transfer lock does not count. From the subgraph. */
    updatedAt: DateTime | null;
    /** The block at which the subgraph was read. A query is read at one block, except for a page after a cursor, which is read at the block of its first page. Null unless indexing is INDEXED. */
    indexedAtBlock: BigInt | null;
    /** The collection that the record is in. Null for a record in the registry. From the subgraph. */
    collection: {
        /** The address of the collection’s contract. */
        address: Address;
        /** The name of the collection, stored on the contract. */
        name: string;
        /** The ERC-721 symbol, stored on the contract. */
        "symbol": string;
    } | null;
    /** Whether transfers by the standard ERC-721 methods are forbidden. From the subgraph. */
    lockExternalTransfer: boolean | null;
    /** The royalty of the record. Null when none is set. From the subgraph. */
    royalty: {
        /** The address that receives the royalty. */
        receiver: Address;
        /** The royalty in percent of the price. */
        percent: number;
    } | null;
    /** The chain that the record was minted on, as eip155:<chain id>. From the subgraph. */
    originChain: string | null;
    /** The hash of the transaction in which the record was first seen. From the subgraph. */
    originTxHash: string | null;
    /** The commitment of a transfer that is reserved but not yet executed. Null when none is reserved. From the subgraph. */
    transferCommitment: string | null;
    /** The record’s transfers, oldest first. From the subgraph. Pages go forward only (first, after). */
    provenance: {
        /** The items of this page. */
        items: ({
            /** The address of the previous owner. */
            "from": Address;
            /** The address of the new owner. */
            to: Address;
            /** When the record changed hands: the time of the block. From the subgraph. */
            timestamp: DateTime;
            /** Whether the new owner is an intermediary who passes the record on. Null when the subgraph does not have it. */
            isIntermediary: boolean | null;
        } | null)[] | null;
        /** The position of this page within the list. */
        pageInfo: {
            /** Whether the list has more items after this page. */
            hasNextPage: boolean;
            /** The cursor of the last edge. Pass it as "after" to get the next page. Null when the page is empty. */
            endCursor: string | null;
        };
    } | null;
    /** The address where a browser can load the metadata document. Null when no document is known. */
    metadataUrl: Url | null;
};
export type FileCategory = "ARTWORK" | "CERTIFICATE" | "FOR_AUTHENTICITY" | "INSTALLATION" | "NON_ATTACHMENT_FILE";
export type FileKeyInput = {
    /** The category that the file was uploaded under. */
    category: FileCategory;
    /** The filename that the file was uploaded with. */
    filename: string;
};
export type FileRefInput = {
    /** The filename and category of an uploaded file. */
    file: FileKeyInput;
} | {
    /** The permanent address of an uploaded file (Upload.finalUrl). */
    finalUrl: Url;
} | {
    /** An address of the form ipfs://<cid>, for content that is on IPFS already. Not allowed for attachments. */
    ipfs: string;
} | {
    /** The global id of an Upload. */
    upload: string;
};
export type AttachmentInput = {
    /** The category that the file was uploaded under. NON_ATTACHMENT_FILE is refused. */
    category: FileCategory;
    /** The uploaded file. */
    file: FileRefInput;
    /** The filename for downloads, with the extension of the file. */
    name: string;
};
export type ContractTermsInput = {
    /** A public file with the text of the terms. */
    file?: FileRefInput;
    /** The royalty on a resale, in percent from 0 to 100. */
    royaltyRate?: number;
};
export type EditionInput = {
    /** A free-text note on the edition, by language. */
    note?: LanguageMap;
    /** The number of this copy within the edition. */
    "number"?: number;
    /** The type of proof as the metadata schema defines it, such as "ED". */
    proofType?: string;
    /** The total number of copies in the edition. */
    totalNumber?: number;
    /** The uniqueness of the work as the metadata schema defines it, such as "unique work". */
    uniqueness?: string;
};
export type SizeInput = {
    /** The depth, as a number of `unit`. */
    depth?: number;
    /** A description of the size in words, by language, for works that numbers do not fit. */
    flexibleDescription?: LanguageMap;
    /** The height, as a number of `unit`. */
    height?: number;
    /** The unit of the numbers: mm, cm, m, in, ft or pixel. */
    unit?: string;
    /** The width, as a number of `unit`. */
    width?: number;
};
export type SrrMetadataInput = {
    /** The UIDs of the record’s NFC tags. The gateway fills the deprecated alias field with the same values. */
    chipUIDs?: string[];
    /** The royalty and the terms of the contract that comes with the record. */
    contractTerms?: ContractTermsInput;
    /** A description of the record for marketplaces. */
    description?: string;
    /** The edition of the work: which copy of how many. */
    edition?: EditionInput;
    /** The address of a page about the work. It may be on any host; the page is never uploaded. */
    externalUrl?: Url;
    /** The picture of the work, as a public file. */
    image: FileRefInput;
    /** Whether the work is digital. If true, the entry needs an attachment of category ARTWORK. */
    isDigital?: boolean;
    /** The medium of the work (what it is made of), by language. */
    medium: LanguageMap;
    /** The name of the record, shown by wallets and marketplaces. */
    name: string;
    /** A free-text note on the work, by language. */
    note?: LanguageMap;
    /** The version of the metadata schema: 2.0, 2.1, 2.2, or a later one that the issuance service has. */
    schemaVersion?: string;
    /** The size of the work. */
    size?: SizeInput;
    /** A small picture of the work, as a public file. */
    thumbnail: FileRefInput;
    /** The title of the work, by language. */
    title: LanguageMap;
    /** The year of creation, by language: free text, so it may be a range. */
    yearOfCreation: LanguageMap;
};
export type Json = any;
export type IssueEntryInput = {
    /** The wallet address of the artist, who must be a licensed user. */
    artistAddress: Address;
    /** The uploaded files that belong to the record. */
    attachments?: AttachmentInput[];
    /** The contract address of a collection of the issuer to mint into. The record goes to the registry when this is absent. */
    collectionAddress?: Address;
    /** The issuer’s own reference of the record; a UUID is a good choice. It must not have been used before, unless that entry was refused. */
    externalId: string;
    /** Whether the issuer is the primary issuer of the work. */
    isPrimaryIssuer: boolean;
    /** Whether to forbid transfers by the standard ERC-721 methods, which marketplaces use. */
    lockExternalTransfer: boolean;
    /** The metadata as typed fields. Give exactly one of metadata and metadataJson. */
    metadata?: SrrMetadataInput;
    /** The metadata document as JSON, with files as finalUrl or ipfs:// addresses. Give exactly one of metadata and metadataJson. */
    metadataJson?: Json;
    /** The address that gets the record after minting. The issuer keeps it when this is absent. */
    to?: Address;
};
export type Batching = "ALL_OR_NOTHING" | "BATCHES_OF_250";
export type IssuanceStatus = "CANCELLED" | "COMPLETED" | "OUTCOME_UNKNOWN" | "REJECTED" | "SUBMITTING" | "WAITING_FOR_FILES" | "WAITING_FOR_MINING";
export type ErrorCode = "ADDRESS_INVALID" | "ADDRESS_NOT_FOUND" | "ATTACHMENT_NOT_FOUND" | "ATTACHMENT_NOT_READY" | "CATEGORY_INVALID" | "CONTENT_MISMATCH" | "CURSOR_EXPIRED" | "DUPLICATE_CHIP" | "DUPLICATE_EXTERNAL_ID" | "DUPLICATE_METADATA" | "DUPLICATE_REQUEST_CONTENT" | "DUPLICATE_REQUEST_ID" | "EXTERNAL_ID_INVALID" | "FILENAME_EXTENSION_MISSING" | "FILENAME_HAS_SPACE" | "FILENAME_TAKEN" | "FILE_NOT_FOUND" | "FILE_NOT_PUBLIC" | "FILE_NOT_READY" | "FILE_TOO_LARGE" | "FILE_URL_NOT_ALLOWED" | "FORBIDDEN" | "IDEMPOTENCY_CONFLICT" | "INVALID_CHIP" | "INVALID_INPUT" | "METADATA_CONVERSION_FAILED" | "METADATA_INVALID" | "METADATA_MISSING" | "MINING_FAILED" | "NFC_ALLOWANCE_EXCEEDED" | "NOT_FOUND" | "QUOTA_EXCEEDED" | "RATE_LIMITED" | "SERVICE_ERROR" | "SRR_NOT_CREATED" | "SUBSCRIBER_LAGGED" | "UNAUTHENTICATED" | "UNKNOWN_ARTIST" | "UNKNOWN_ERROR" | "UPSTREAM_BAD_RESPONSE" | "UPSTREAM_TIMEOUT" | "UPSTREAM_UNAVAILABLE";
export type Fault = {
    /** The error code, for programs. */
    code: ErrorCode;
    /** The message for people. It says what to do. */
    message: string;
    /** The path into the arguments, such as ["input", "entries", "3", "metadata", "title"]. Null when the error is about no particular value. */
    path: string[] | null;
    /** The external id of the entry that the error is about. Null when it is about no entry. */
    externalId: string | null;
    /** The message of the system behind the gateway that reported the error, verbatim up to 2,000 characters. Null when there was none. */
    upstreamMessage: string | null;
};
export type Issuance = {
    /** The global id of this issuance. It never changes. */
    id: string;
    /** The idempotency key of the call, stored for ever. The gateway makes one when the caller gives none. */
    requestId: string;
    /** The wallet address of the issuer who made the call. */
    issuer: Address;
    /** The status of this issuance. */
    status: IssuanceStatus;
    /** Counts of the records and files, and how far they are. */
    progress: {
        /** The number of records in the issuance. */
        total: number;
        /** The number of uploaded files that the issuance waits for. */
        filesTotal: number;
        /** The number of the filesTotal files that have their hash and CID. */
        filesReady: number;
        /** The number of records that the issuance service accepted, whatever their outcome. It never falls. */
        accepted: number;
        /** The number of records that were minted. */
        issued: number;
        /** The number of records that were refused or not mined. */
        failed: number;
    };
    /** Why the issuance was rejected as a whole; each entry that was sent has its own error. Null unless the status is REJECTED. */
    error: Fault | null;
    /** When issueSRRs was called. */
    createdAt: DateTime;
    /** When anything about the issuance last changed. */
    updatedAt: DateTime;
    /** When the issuance reached its final status. Null until then. */
    completedAt: DateTime | null;
};
export type EntryStatus = "CANCELLED" | "FAILED" | "ISSUED" | "PENDING" | "WAITING_FOR_MINING";
export type OutcomeSource = "RESPONSE" | "SUBGRAPH" | "WEBHOOK";
/**
 * Lists registry records that meet all of the given conditions, newest first unless orderBy says otherwise.
 */
export function listRecords({ first, after, last, before, orderBy, owner, artist, artistNameContains, issuer, collection, inRegistry, isPrimaryIssuer, lockExternalTransfer, tokenIds, metadataCiDs, createdAfter, createdBefore, updatedAfter, updatedBefore }: {
    first?: number;
    after?: string;
    last?: number;
    before?: string;
    orderBy?: SrrOrder;
    owner?: Address;
    artist?: Address;
    artistNameContains?: string;
    issuer?: Address;
    collection?: Address;
    inRegistry?: boolean;
    isPrimaryIssuer?: boolean;
    lockExternalTransfer?: boolean;
    tokenIds?: TokenId[];
    metadataCiDs?: Cid[];
    createdAfter?: DateTime;
    createdBefore?: DateTime;
    updatedAfter?: DateTime;
    updatedBefore?: DateTime;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** The items of this page. */
            items: (RecordSummary | null)[];
            /** The position of this page within the list. */
            pageInfo: {
                /** Whether the list has more items after this page. */
                hasNextPage: boolean;
                /** Whether the list has more items before this page. */
                hasPreviousPage: boolean;
                /** The cursor of the first edge. Pass it as "before" to get the previous page. Null when the page is empty. */
                startCursor: string | null;
                /** The cursor of the last edge. Pass it as "after" to get the next page. Null when the page is empty. */
                endCursor: string | null;
            };
        } & Incomplete;
    } | {
        status: 400;
        data: Problem;
    } | {
        status: 410;
        data: Problem;
    } | {
        status: 429;
        data: Problem;
    } | {
        status: number;
        data: Problem;
    }>(`/records${QS.query(QS.explode({
        first,
        after,
        last,
        before,
        orderBy,
        owner,
        artist,
        artistNameContains,
        issuer,
        collection,
        inRegistry,
        isPrimaryIssuer,
        lockExternalTransfer,
        tokenIds,
        metadataCIDs: metadataCiDs,
        createdAfter,
        createdBefore,
        updatedAfter,
        updatedBefore
    }))}`, {
        ...opts
    });
}
/**
 * Returns one registry record: owner, artist, royalty and transfers from the subgraph, the metadata document from IPFS.
 */
export function getRecord(tokenId: TokenId, { collection, transfersAfter }: {
    collection?: Address;
    transfersAfter?: string;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Record & Incomplete;
    } | {
        status: 400;
        data: Problem;
    } | {
        status: 404;
        data: Problem;
    } | {
        status: 410;
        data: Problem;
    } | {
        status: 429;
        data: Problem;
    } | {
        status: number;
        data: Problem;
    }>(`/records/${encodeURIComponent(tokenId)}${QS.query(QS.explode({
        collection,
        transfersAfter
    }))}`, {
        ...opts
    });
}
/**
 * Issues records.
 */
export function issueRecords(body: {
    /** The idempotency key, unique per issuer and stored for ever; a UUID is a good choice. A repeated call with it issues nothing twice. */
    requestId: string;
    /** The records to issue, at least one. */
    entries: IssueEntryInput[];
    /** How the entries are grouped into requests to the issuance service. */
    batching?: Batching;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Issuance & Incomplete;
    } | {
        status: 202;
        data: Issuance & Incomplete;
    } | {
        status: 400;
        data: Problem;
    } | {
        status: 401;
        data: Problem;
    } | {
        status: 403;
        data: Problem;
    } | {
        status: 409;
        data: Problem;
    } | {
        status: 413;
        data: Problem;
    } | {
        status: 415;
        data: Problem;
    } | {
        status: 422;
        data: Problem;
    } | {
        status: 429;
        data: Problem;
    } | {
        status: number;
        data: Problem;
    }>("/issuances", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Returns the issuance of a requestId: its progress, and the outcome of each record.
 */
export function getIssuance(requestId: string, { first, after, status }: {
    first?: number;
    after?: string;
    status?: EntryStatus;
} = {}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            /** The global id of this issuance. It never changes. */
            id: string;
            /** The idempotency key of the call, stored for ever. The gateway makes one when the caller gives none. */
            requestId: string;
            /** The wallet address of the issuer who made the call. */
            issuer: Address;
            /** The status of this issuance. */
            status: IssuanceStatus;
            /** Counts of the records and files, and how far they are. */
            progress: {
                /** The number of records in the issuance. */
                total: number;
                /** The number of uploaded files that the issuance waits for. */
                filesTotal: number;
                /** The number of the filesTotal files that have their hash and CID. */
                filesReady: number;
                /** The number of records that the issuance service accepted, whatever their outcome. It never falls. */
                accepted: number;
                /** The number of records that were minted. */
                issued: number;
                /** The number of records that were refused or not mined. */
                failed: number;
            };
            /** Why the issuance was rejected as a whole; each entry that was sent has its own error. Null unless the status is REJECTED. */
            error: Fault | null;
            /** When issueSRRs was called. */
            createdAt: DateTime;
            /** When anything about the issuance last changed. */
            updatedAt: DateTime;
            /** When the issuance reached its final status. Null until then. */
            completedAt: DateTime | null;
            /** The entries of this issuance, one for each record, in the order of the input. Pages go forward only (first, after). */
            entries: {
                /** The items of this page. */
                items: ({
                    /** The issuer’s own reference of the record. */
                    externalId: string;
                    /** The status of this entry. */
                    status: EntryStatus;
                    /** The source of the status. Null while the status is PENDING or CANCELLED. */
                    outcomeSource: OutcomeSource | null;
                    /** Why the entry failed, with its path in the mutation’s input. Null unless the status is FAILED. */
                    error: Fault | null;
                    /** The record. Null until the issuance service has accepted the entry; then it has its ids and metadata at once, and the subgraph’s fields once it is indexed. */
                    srr: {
                        /** The token id of the record, unique within its contract. */
                        tokenId: TokenId;
                        /** The address of the token’s contract: its collection’s, or the registry’s. Null for a registry record when the gateway does not know the registry’s address. */
                        contractAddress: Address | null;
                        /** The CID of the metadata document, from the subgraph, or from the issuance service’s answer until it is indexed. Null for records from before 2023. */
                        metadataCID: Cid | null;
                        /** Whether the subgraph has this record. */
                        indexing: Indexing;
                    } | null;
                } | null)[] | null;
                /** The position of this page within the list. */
                pageInfo: {
                    /** Whether the list has more items after this page. */
                    hasNextPage: boolean;
                    /** The cursor of the last edge. Pass it as "after" to get the next page. Null when the page is empty. */
                    endCursor: string | null;
                };
            };
        } & Incomplete;
    } | {
        status: 400;
        data: Problem;
    } | {
        status: 401;
        data: Problem;
    } | {
        status: 403;
        data: Problem;
    } | {
        status: 404;
        data: Problem;
    } | {
        status: 429;
        data: Problem;
    } | {
        status: number;
        data: Problem;
    }>(`/issuances/${encodeURIComponent(requestId)}${QS.query(QS.explode({
        first,
        after,
        status
    }))}`, {
        ...opts
    });
}
/**
 * Stores a file at the issuance service.
 */
export function putFile(category: "non_attachment_file" | "artwork" | "certificate" | "for_authenticity" | "installation", filename: string, body: Blob, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            stored: {
                category: "non_attachment_file" | "artwork" | "certificate" | "for_authenticity" | "installation";
                filename: string;
            };
        };
    } | {
        status: number;
        data: {
            error: {
                code: string;
                message: string;
            };
        };
    }>(`/uploads/${encodeURIComponent(category)}/${encodeURIComponent(filename)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body
    }));
}
/**
 * Returns the bytes of a file of the issuer.
 */
export function getFile(category: "non_attachment_file" | "artwork" | "certificate" | "for_authenticity" | "installation", filename: string, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Blob;
    } | {
        status: 206;
        data: Blob;
    } | {
        status: number;
        data: {
            error: {
                code: string;
                message: string;
            };
        };
    }>(`/uploads/${encodeURIComponent(category)}/${encodeURIComponent(filename)}`, {
        ...opts
    });
}
