// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {LicensedUserManager} from "./LicensedUserManager.sol";
import {RecordIds} from "./RecordIds.sol";
import {RecordToken} from "./RecordToken.sol";

/// One licensed user's own ERC-721 contract. Each is a small clone of one implementation.
contract Collection is RecordToken, Initializable {
    LicensedUserManager private _licensedUsers;
    address public owner;
    // A clone runs no constructor, so it cannot use the names that ERC721 keeps.
    string private _collectionName;
    string private _collectionSymbol;

    error IssuerNotOwner(address issuer, address owner);

    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    constructor() ERC721("", "") {
        _disableInitializers();
    }

    function initialize(LicensedUserManager licensedUsers_, address owner_, string calldata name_, string calldata symbol_)
        external
        initializer
    {
        _licensedUsers = licensedUsers_;
        owner = owner_;
        _collectionName = name_;
        _collectionSymbol = symbol_;
        emit OwnershipTransferred(address(0), owner_);
    }

    function name() public view override returns (string memory) {
        return _collectionName;
    }

    function symbol() public view override returns (string memory) {
        return _collectionSymbol;
    }

    function operator() public view override returns (address) {
        return _licensedUsers.operator();
    }

    function licensedUsers() public view override returns (LicensedUserManager) {
        return _licensedUsers;
    }

    function create(NewRecord calldata input) external onlyOperator {
        if (input.issuer != owner) revert IssuerNotOwner(input.issuer, owner);
        _create(input, RecordIds.fromCID(input.metadataCID, input.artist));
    }

    /// Hands the collection to another licensed user, who alone may then issue into it.
    function transferOwnership(address newOwner) external {
        if (msg.sender != owner && msg.sender != operator()) revert NotOwnerNorOperator(msg.sender);
        if (!_licensedUsers.isLicensedUser(newOwner)) revert UnknownIssuer(newOwner);
        emit OwnershipTransferred(owner, newOwner);
        owner = newOwner;
    }
}
