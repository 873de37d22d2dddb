// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {LicensedUserWallet} from "./LicensedUserWallet.sol";

/// Registers licensed users, and makes the wallet of each at an address that its salt decides.
contract LicensedUserManager {
    struct Profile {
        string englishName;
        string originalName;
        UserType userType;
    }

    enum UserType {
        Handler,
        Artist
    }

    address public immutable operator;
    address public immutable walletImplementation;
    mapping(address => bool) public isLicensedUser;

    error NotOperator(address caller);

    event LicensedUserRegistered(
        address indexed wallet,
        string englishName,
        string originalName,
        UserType userType,
        address[] owners,
        uint256 threshold,
        bytes32 salt
    );
    event LicensedUserChanged(address indexed wallet, string englishName, string originalName, UserType userType);

    modifier onlyOperator() {
        if (msg.sender != operator) revert NotOperator(msg.sender);
        _;
    }

    constructor(address operator_, address walletImplementation_) {
        operator = operator_;
        walletImplementation = walletImplementation_;
    }

    function register(Profile calldata profile, address[] calldata owners, uint256 threshold, bytes32 salt)
        external
        onlyOperator
        returns (address wallet)
    {
        wallet = Clones.cloneDeterministic(walletImplementation, salt);
        LicensedUserWallet(wallet).initialize(owners, threshold);
        isLicensedUser[wallet] = true;
        emit LicensedUserRegistered(
            wallet, profile.englishName, profile.originalName, profile.userType, owners, threshold, salt
        );
    }

    function change(address wallet, Profile calldata profile) external onlyOperator {
        require(isLicensedUser[wallet], "Not a licensed user");
        emit LicensedUserChanged(wallet, profile.englishName, profile.originalName, profile.userType);
    }

    function predict(bytes32 salt) external view returns (address) {
        return Clones.predictDeterministicAddress(walletImplementation, salt);
    }
}
