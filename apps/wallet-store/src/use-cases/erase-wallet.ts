import { ApiError, isJsonObject, ownMember, type JsonObject } from '@vestibule/foundation';
import type { EraseWallet } from '../domain/ports';
import { misused, readOptions } from './command-options';

export interface EraseWalletDeps {
  readonly erase: EraseWallet;
}

const usage = misused('erase --tenant <name> --wallet <did>');

/** Is it an answer about a wallet, or about something in it, in either API? */
function isAbout(walletDid: string, answer: JsonObject): boolean {
  const content = ownMember(answer, 'data');
  const place = isJsonObject(content) ? ownMember(content, 'wallet_did') : undefined;
  return ownMember(answer, 'WalletDid') === walletDid || place === walletDid;
}

/**
 * The operator's command that erases a wallet: every revision of what is in it, its key, and the answers that are remembered
 * for its `Idempotency-Key` calls, all or nothing. What it presented to other wallets is theirs. Returns the lines to print.
 * Throws `command_invalid`, `wallet_not_found`, `concurrent_change`.
 */
export function eraseWallet({ erase }: EraseWalletDeps) {
  return async function eraseWallet(argv: readonly string[]): Promise<readonly string[]> {
    const options = readOptions(argv, ['tenant', 'wallet'], usage);
    const [tenantName, walletDid] = [options.get('tenant'), options.get('wallet')];
    if (tenantName === undefined || walletDid === undefined) throw usage('a tenant and a wallet are required');
    const erased = await erase({ tenantName, walletDid, isAbout: (answer) => isAbout(walletDid, answer) });
    if (!erased) {
      const detail = 'this tenant has no such wallet';
      throw new ApiError({ kind: 'not_found', code: 'wallet_not_found', detail });
    }
    return [
      `wallet\t${walletDid}`,
      `credentials\t${erased.credentials}`,
      `presentations\t${erased.presentations}`,
      `answers\t${erased.answers}`,
      ...(erased.unreadableAnswers > 0 ? [`unreadable answers\t${erased.unreadableAnswers}`] : []),
    ];
  };
}
