// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Token ids of records: short enough to be read aloud, and known before anything is mined.
library RecordIds {
    uint256 private constant MODULUS = 10 ** 12;

    /// The current rule: the text of the metadata's CID, then the artist's address.
    function fromCID(string calldata cid, address artist) internal pure returns (uint256) {
        return uint256(keccak256(abi.encodePacked(cid, artist))) % MODULUS;
    }

    /// The rule for records whose metadata was named by a hash and was not on IPFS.
    function fromDigest(bytes32 digest, address artist) internal pure returns (uint256) {
        return uint256(keccak256(abi.encodePacked(digest, artist))) % MODULUS;
    }
}
