import { toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';

/** The mnemonic that every development chain uses: its keys are public, and worth nothing anywhere. */
export const playMnemonic = 'test test test test test test test test test test test junk';

export interface PlayAccount {
  address: `0x${string}`;
  privateKey: `0x${string}`;
}

export interface PlayAccounts {
  /** Issues in the name of licensed users, and pays for it. */
  operator: PlayAccount;
  /** Own the licensed users' wallets. */
  owners: PlayAccount[];
  /** Wallets of people who buy records. */
  buyers: PlayAccount[];
}

export function playAccounts(): PlayAccounts {
  return {
    operator: account(0),
    owners: [account(1), account(2), account(3)],
    buyers: [account(4), account(5), account(6)],
  };
}

function account(addressIndex: number): PlayAccount {
  const { address, getHdKey } = mnemonicToAccount(playMnemonic, { addressIndex });
  const { privateKey } = getHdKey();
  if (!privateKey) throw new Error('a mnemonic always gives private keys');
  return { address, privateKey: toHex(privateKey) };
}
