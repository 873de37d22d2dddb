// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {LicensedUserManager} from "./LicensedUserManager.sol";

/// Exhibitions, auctions, appraisals and the like, and the records that took part in them.
contract CustomHistories {
    LicensedUserManager public immutable licensedUsers;
    uint256 public typeCount;
    uint256 public historyCount;

    error NotOperator(address caller);
    error UnknownType(uint256 typeId);
    error UnknownHistory(uint256 historyId);

    event TypeAdded(uint256 indexed typeId, string name);
    event HistoryAdded(uint256 indexed historyId, uint256 indexed typeId, string name, string metadata);
    event HistoryChanged(uint256 indexed historyId, string name, string metadata);
    event RecordAdded(uint256 indexed historyId, address indexed token, uint256 indexed tokenId);

    modifier onlyOperator() {
        if (msg.sender != licensedUsers.operator()) revert NotOperator(msg.sender);
        _;
    }

    constructor(LicensedUserManager licensedUsers_) {
        licensedUsers = licensedUsers_;
    }

    function addType(string calldata name) external onlyOperator returns (uint256 typeId) {
        typeId = ++typeCount;
        emit TypeAdded(typeId, name);
    }

    function addHistory(uint256 typeId, string calldata name, string calldata metadataCID)
        external
        onlyOperator
        returns (uint256 historyId)
    {
        if (typeId == 0 || typeId > typeCount) revert UnknownType(typeId);
        historyId = ++historyCount;
        emit HistoryAdded(historyId, typeId, name, metadataCID);
    }

    function changeHistory(uint256 historyId, string calldata name, string calldata metadataCID)
        external
        onlyOperator
    {
        _requireHistory(historyId);
        emit HistoryChanged(historyId, name, metadataCID);
    }

    function addRecord(uint256 historyId, address token, uint256 tokenId) external onlyOperator {
        _requireHistory(historyId);
        emit RecordAdded(historyId, token, tokenId);
    }

    function _requireHistory(uint256 historyId) private view {
        if (historyId == 0 || historyId > historyCount) revert UnknownHistory(historyId);
    }
}
