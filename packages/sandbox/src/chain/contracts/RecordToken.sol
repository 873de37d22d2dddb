// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC2981} from "@openzeppelin/contracts/token/common/ERC2981.sol";
import {LicensedUserManager} from "./LicensedUserManager.sol";
import {RecordIds} from "./RecordIds.sol";

/// What registry and collections have in common: records as ERC-721 tokens with royalty, a lock against
/// marketplaces, documented changes of owner and reserved transfers.
abstract contract RecordToken is ERC721, ERC2981 {
    struct NewRecord {
        address issuer;
        address artist;
        /// Receives the record after minting; the issuer keeps it when zero.
        address to;
        bool isPrimaryIssuer;
        bool lockExternalTransfer;
        string metadataCID;
        /// No royalty when zero.
        address royaltyReceiver;
        uint96 royaltyBasisPoints;
    }

    struct Record {
        address issuer;
        address artist;
        bool isPrimaryIssuer;
        bool lockExternalTransfer;
        /// CID text, or `0x` and 64 hex digits.
        string metadata;
    }

    struct Reservation {
        bytes32 commitment;
        string metadataCID;
        /// Custom histories count from 1, so 0 says that the transfer belongs to none.
        uint256 customHistoryId;
    }

    mapping(uint256 => Record) internal _records;
    mapping(uint256 => Reservation) public reservations;

    error NotOperator(address caller);
    error NotOwnerNorOperator(address caller);
    error UnknownIssuer(address issuer);
    error ArtistMissing();
    error MetadataMissing();
    error ExternalTransferLocked(uint256 tokenId);
    error NoReservation(uint256 tokenId);
    error WrongReveal(uint256 tokenId);

    event RecordCreated(
        uint256 indexed tokenId,
        address indexed issuer,
        address indexed artist,
        bool isPrimaryIssuer,
        bool lockExternalTransfer,
        string metadata
    );
    event RoyaltySet(uint256 indexed tokenId, address receiver, uint96 basisPoints);
    event LockChanged(uint256 indexed tokenId, bool lockExternalTransfer);
    event MetadataChanged(uint256 indexed tokenId, string metadata);
    event ProvenanceRecorded(
        uint256 indexed tokenId,
        address indexed from,
        address indexed to,
        string metadata,
        string metadataURI,
        uint256 customHistoryId,
        bool isIntermediary,
        address sender
    );
    event TransferReserved(uint256 indexed tokenId, bytes32 commitment, uint256 customHistoryId, address sender);
    event ReservationCancelled(uint256 indexed tokenId, address sender);
    event ReservationUsed(uint256 indexed tokenId, address sender);

    modifier onlyOperator() {
        if (msg.sender != operator()) revert NotOperator(msg.sender);
        _;
    }

    modifier onlyOwnerOrOperator(uint256 tokenId) {
        if (msg.sender != operator() && msg.sender != _requireOwned(tokenId)) {
            revert NotOwnerNorOperator(msg.sender);
        }
        _;
    }

    /// The one key that issues, always in the name of a licensed user.
    function operator() public view virtual returns (address);

    function licensedUsers() public view virtual returns (LicensedUserManager);

    function record(uint256 tokenId) external view returns (Record memory) {
        _requireOwned(tokenId);
        return _records[tokenId];
    }

    function tokenURI(uint256 tokenId) public view virtual override returns (string memory) {
        _requireOwned(tokenId);
        return _uri(_records[tokenId].metadata);
    }

    function setRoyalty(uint256 tokenId, address receiver, uint96 basisPoints) external onlyOperator {
        _requireOwned(tokenId);
        _setRoyalty(tokenId, receiver, basisPoints);
    }

    function setLock(uint256[] calldata tokenIds, bool lockExternalTransfer) external onlyOperator {
        for (uint256 i = 0; i < tokenIds.length; i++) {
            _requireOwned(tokenIds[i]);
            _records[tokenIds[i]].lockExternalTransfer = lockExternalTransfer;
            emit LockChanged(tokenIds[i], lockExternalTransfer);
        }
    }

    function setMetadata(uint256 tokenId, string calldata metadataCID) external onlyOperator {
        _requireOwned(tokenId);
        if (bytes(metadataCID).length == 0) revert MetadataMissing();
        _records[tokenId].metadata = metadataCID;
        emit MetadataChanged(tokenId, metadataCID);
    }

    /// Both safe variants of ERC-721 end here too, so the lock needs no other place.
    function transferFrom(address from, address to, uint256 tokenId) public virtual override {
        if (_records[tokenId].lockExternalTransfer) revert ExternalTransferLocked(tokenId);
        super.transferFrom(from, to, tokenId);
    }

    /// A change of owner with its story; the lock is against marketplaces and does not stop it.
    function transferWithProvenance(
        address to,
        uint256 tokenId,
        string calldata metadataCID,
        uint256 customHistoryId,
        bool isIntermediary
    ) external onlyOwnerOrOperator(tokenId) {
        _transferWithProvenance(to, tokenId, metadataCID, customHistoryId, isIntermediary);
    }

    /// Promises the record to whoever will show the value that hashes to `commitment`.
    function reserveTransfer(uint256 tokenId, bytes32 commitment, string calldata metadataCID, uint256 customHistoryId)
        external
        onlyOwnerOrOperator(tokenId)
    {
        reservations[tokenId] = Reservation(commitment, metadataCID, customHistoryId);
        emit TransferReserved(tokenId, commitment, customHistoryId, msg.sender);
    }

    function cancelReservation(uint256 tokenId) external onlyOwnerOrOperator(tokenId) {
        if (reservations[tokenId].commitment == 0) revert NoReservation(tokenId);
        delete reservations[tokenId];
        emit ReservationCancelled(tokenId, msg.sender);
    }

    function transferByReveal(address to, uint256 tokenId, bytes32 reveal, bool isIntermediary) external {
        Reservation memory reservation = reservations[tokenId];
        if (reservation.commitment == 0) revert NoReservation(tokenId);
        if (keccak256(abi.encodePacked(reveal)) != reservation.commitment) revert WrongReveal(tokenId);
        delete reservations[tokenId];
        emit ReservationUsed(tokenId, msg.sender);
        _transferWithProvenance(to, tokenId, reservation.metadataCID, reservation.customHistoryId, isIntermediary);
    }

    function supportsInterface(bytes4 interfaceId) public view virtual override(ERC721, ERC2981) returns (bool) {
        return super.supportsInterface(interfaceId);
    }

    /// The order of events is part of the interface: mint, creation, royalty, then the way to the buyer.
    function _create(NewRecord memory input, uint256 tokenId) internal {
        if (!licensedUsers().isLicensedUser(input.issuer)) revert UnknownIssuer(input.issuer);
        if (input.artist == address(0)) revert ArtistMissing();
        if (bytes(input.metadataCID).length == 0) revert MetadataMissing();
        _mint(input.issuer, tokenId);
        _records[tokenId] = Record(
            input.issuer, input.artist, input.isPrimaryIssuer, input.lockExternalTransfer, input.metadataCID
        );
        emit RecordCreated(
            tokenId,
            input.issuer,
            input.artist,
            input.isPrimaryIssuer,
            input.lockExternalTransfer,
            input.metadataCID
        );
        if (input.royaltyReceiver != address(0)) {
            _setRoyalty(tokenId, input.royaltyReceiver, input.royaltyBasisPoints);
        }
        if (input.to != address(0) && input.to != input.issuer) _transfer(input.issuer, input.to, tokenId);
    }

    function _uri(string memory metadata) internal view virtual returns (string memory) {
        return bytes(metadata).length == 0 ? "" : string.concat("ipfs://", metadata);
    }

    /// A reservation binds the owner who made it, so it ends with that owner.
    function _update(address to, uint256 tokenId, address auth) internal virtual override returns (address from) {
        from = super._update(to, tokenId, auth);
        if (reservations[tokenId].commitment != 0) {
            delete reservations[tokenId];
            emit ReservationCancelled(tokenId, msg.sender);
        }
    }

    function _setRoyalty(uint256 tokenId, address receiver, uint96 basisPoints) private {
        _setTokenRoyalty(tokenId, receiver, basisPoints);
        emit RoyaltySet(tokenId, receiver, basisPoints);
    }

    function _transferWithProvenance(
        address to,
        uint256 tokenId,
        string memory metadata,
        uint256 customHistoryId,
        bool isIntermediary
    ) private {
        address from = _requireOwned(tokenId);
        // Before the ERC-721 event: the first account of a change of owner is the one that counts.
        emit ProvenanceRecorded(
            tokenId, from, to, metadata, _uri(metadata), customHistoryId, isIntermediary, msg.sender
        );
        _transfer(from, to, tokenId);
    }
}
