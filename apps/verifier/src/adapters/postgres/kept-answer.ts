import type { Sealer } from '@vestibule/crypto';
import type { WalletAnswer } from '../../domain/presentation-ending';

/** Seals what a wallet received, for a repeated response. Null if it was empty: then `response_digest` says enough. */
export function sealAnswer(sealer: Sealer, context: string, answer: WalletAnswer): Buffer | null {
  const text = JSON.stringify(answer);
  return text === '{}' ? null : sealer.seal(Buffer.from(text, 'utf8'), context);
}

/** The answer that {@link sealAnswer} has sealed. Earlier versions also sealed an empty one. */
export function openAnswer(sealer: Sealer, context: string, sealed: Buffer | null): WalletAnswer {
  return JSON.parse(sealed ? sealer.open(sealed, context).toString('utf8') : '{}') as WalletAnswer;
}
