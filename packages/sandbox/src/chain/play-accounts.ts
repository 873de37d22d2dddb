import { toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';

/** The mnemonic of every development chain: its keys are public and must never hold real funds. */
export const playMnemonic = 'test test test test test test test test test test test junk';

export interface PlayAccount {
  address: `0x${string}`;
  privateKey: `0x${string}`;
}

/** The accounts of a sandbox by their role. */
export interface PlayAccounts {
  /** Issues on behalf of licensed users and pays the gas. */
  operator: PlayAccount;
  /** Own the licensed users' wallets. */
  owners: PlayAccount[];
  /** Wallets of people who buy records. */
  buyers: PlayAccount[];
}

let derived: PlayAccounts | undefined;

/** The accounts of the development mnemonic, each with its role in the sandbox. */
export function playAccounts(): PlayAccounts {
  // Deriving the keys takes a tenth of a second of computing, and tests start many chains.
  derived ??= {
    operator: account(0),
    owners: [account(1), account(2), account(3)],
    buyers: [account(4), account(5), account(6)],
  };
  return derived;
}

function account(addressIndex: number): PlayAccount {
  const { address, getHdKey } = mnemonicToAccount(playMnemonic, { addressIndex });
  const { privateKey } = getHdKey();
  if (!privateKey) throw new Error('a mnemonic always gives private keys');
  return { address, privateKey: toHex(privateKey) };
}
