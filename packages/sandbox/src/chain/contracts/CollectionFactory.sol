// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {Collection} from "./Collection.sol";
import {LicensedUserManager} from "./LicensedUserManager.sol";

/// Makes collections at addresses that are known from the salt alone; so a salt works once.
contract CollectionFactory {
    LicensedUserManager public immutable licensedUsers;
    address public immutable implementation;

    error NotOperator(address caller);
    error UnknownOwner(address owner);

    event CollectionCreated(
        address indexed collection, address indexed owner, string name, string symbol, bytes32 salt
    );

    constructor(LicensedUserManager licensedUsers_, address implementation_) {
        licensedUsers = licensedUsers_;
        implementation = implementation_;
    }

    function create(address owner, string calldata name, string calldata symbol, bytes32 salt)
        external
        returns (address collection)
    {
        if (msg.sender != licensedUsers.operator()) revert NotOperator(msg.sender);
        if (!licensedUsers.isLicensedUser(owner)) revert UnknownOwner(owner);
        collection = Clones.cloneDeterministic(implementation, salt);
        emit CollectionCreated(collection, owner, name, symbol, salt);
        Collection(collection).initialize(licensedUsers, owner, name, symbol);
    }

    function predict(bytes32 salt) external view returns (address) {
        return Clones.predictDeterministicAddress(implementation, salt);
    }
}
