// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {LicensedUserManager} from "./LicensedUserManager.sol";
import {RecordIds} from "./RecordIds.sol";
import {RecordToken} from "./RecordToken.sol";

/// Records that belong to no collection.
contract Registry is RecordToken {
    /// Length of `0x` and 64 hex digits, by which a digest is told from a CID.
    uint256 private constant DIGEST_LENGTH = 66;

    LicensedUserManager private immutable _licensedUsers;
    string public metadataURIPrefix;

    constructor(LicensedUserManager licensedUsers_) ERC721("Registry Record", "SRR") {
        _licensedUsers = licensedUsers_;
    }

    function operator() public view override returns (address) {
        return _licensedUsers.operator();
    }

    function licensedUsers() public view override returns (LicensedUserManager) {
        return _licensedUsers;
    }

    function create(NewRecord calldata input) external onlyOperator {
        _create(input, RecordIds.fromCID(input.metadataCID, input.artist));
    }

    /// A record from before metadata was put on IPFS; `input.metadataCID` is not read.
    function createWithDigest(NewRecord memory input, bytes32 digest) external onlyOperator {
        input.metadataCID = Strings.toHexString(uint256(digest), 32);
        _create(input, RecordIds.fromDigest(digest, input.artist));
    }

    /// Where metadata that is known by its digest is served: `<prefix>0x<digest>.json`.
    function setMetadataURIPrefix(string calldata prefix) external onlyOperator {
        metadataURIPrefix = prefix;
    }

    function _uri(string memory metadata) internal view override returns (string memory) {
        if (bytes(metadata).length != DIGEST_LENGTH) return super._uri(metadata);
        return string.concat(metadataURIPrefix, metadata, ".json");
    }
}
