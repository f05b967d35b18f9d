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
  /** One attempt at a time for each offer: others would be made before the first is noted. */
  readonly inTurn: <Result>(offerId: string, attempt: () => Promise<Result>) => Promise<Result>;
}

export function createWrongCodes(remembered = REMEMBERED): WrongCodes {
  const counts = new Map<string, number>();
  const turns = new Map<string, Promise<unknown>>();
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
    async inTurn(offerId, attempt) {
      const turn = Promise.allSettled([turns.get(offerId)]).then(attempt);
      turns.set(offerId, turn);
      try {
        return await turn;
      } finally {
        if (turns.get(offerId) === turn) turns.delete(offerId);
      }
    },
  };
}
