// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";

/// A licensed user on chain: it owns records and collections. What it does itself needs as many of its
/// owners as its threshold says; issuing in its name is done by the service.
contract LicensedUserWallet is Initializable {
    uint256 public threshold;
    address[] private _owners;
    mapping(address => bool) public isOwner;

    /// Counts the calls made, so that an agreement is never used twice.
    uint256 public nonce;
    mapping(bytes32 => mapping(address => bool)) public agreed;
    mapping(bytes32 => uint256) public agreements;

    error NotAnOwner(address caller);
    error AlreadyAgreed(address owner);
    error InvalidOwners();

    event Executed(address indexed target, bytes data);

    constructor() {
        _disableInitializers();
    }

    function initialize(address[] calldata owners_, uint256 threshold_) external initializer {
        if (threshold_ == 0 || threshold_ > owners_.length) revert InvalidOwners();
        for (uint256 i = 0; i < owners_.length; i++) {
            if (owners_[i] == address(0) || isOwner[owners_[i]]) revert InvalidOwners();
            isOwner[owners_[i]] = true;
        }
        _owners = owners_;
        threshold = threshold_;
    }

    function owners() external view returns (address[] memory) {
        return _owners;
    }

    /// Agrees to a call; the owner who completes the threshold also makes it.
    function execute(address target, bytes calldata data) external returns (bool made) {
        if (!isOwner[msg.sender]) revert NotAnOwner(msg.sender);
        bytes32 call = keccak256(abi.encode(target, data, nonce));
        if (agreed[call][msg.sender]) revert AlreadyAgreed(msg.sender);
        agreed[call][msg.sender] = true;
        if (++agreements[call] < threshold) return false;
        nonce++;
        (bool success, bytes memory result) = target.call(data);
        if (!success) {
            assembly {
                revert(add(result, 32), mload(result))
            }
        }
        emit Executed(target, data);
        return true;
    }
}
