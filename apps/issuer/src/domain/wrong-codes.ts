import { MAX_TX_CODE_ATTEMPTS } from './credential-offer';

/** More offers than are tried at the same time. */
const REMEMBERED = 10_000;

/**
 * Wrong transaction codes that this process has seen, by offer. The row counts them, too, and for all replicas; but somebody
 * who can write rows can set that back.
 */
export interface WrongCodes {
  /** Has the offer had as many as end it? */
  readonly areTooMany: (offerId: string) => boolean;
  readonly note: (offerId: string) => void;
}

export function createWrongCodes(remembered = REMEMBERED): WrongCodes {
  const counts = new Map<string, number>();
  return {
    areTooMany: (offerId) => (counts.get(offerId) ?? 0) >= MAX_TX_CODE_ATTEMPTS,
    note(offerId) {
      const count = (counts.get(offerId) ?? 0) + 1;
      // Again as the newest: the oldest is forgotten first.
      counts.delete(offerId);
      counts.set(offerId, count);
      const [oldest] = counts.keys();
      if (counts.size > remembered && oldest !== undefined) counts.delete(oldest);
    },
  };
}
