import { randomBytes } from 'node:crypto';
import { createTimedId } from '@vestibule/crypto';
import { reserveStatusIndexes } from '../use-cases/reserve-status-indexes';
import { ISSUER, NOW } from './issuer.fixture-spec';
import { at, completionOf, type StoreStage } from './store.fixture-spec';

export const YEAR = 31_536_000;
/** The chain that the credentials are signed with. */
export const X5C = [Buffer.from('a certificate').toString('base64')];
export const newId = () => createTimedId(NOW, randomBytes);
/** The id of a list at the end of its address. */
export const idOf = (uri: string | undefined) => uri?.split('/').at(-1) ?? '';

/** Issuers with status lists over the store of a test, which it opens before it asks. */
export function statusListsOf(current: () => StoreStage) {
  /** One replica of an issuer whose lists have `size` entries. */
  const replica = (
    size = 1_024,
    x5c: readonly string[] = X5C,
    statusLists = current().statusLists,
    issuer = ISSUER,
  ) => {
    const reserve = reserveStatusIndexes({
      random: randomBytes,
      statusListSize: size,
      drawIndexes: (draw) => statusLists.drawIndexes(draw),
      openList: (...all) => statusLists.openList(...all),
    });
    return (offerId: string, count = 1, expiresAt = at(YEAR)) => reserve({ offerId, count, expiresAt, x5c, issuer });
  };

  /** An offer whose credentials were issued, with their entries. */
  const issuedOffer = async (count = 1, reserve = replica()) => {
    const { offerId } = await current().insert();
    const references = await reserve(offerId, count);
    expect(await current().store.complete(completionOf({ offerId }, { entries: references }))).toBe('issued');
    return { offerId, references, listId: idOf(references[0]?.uri) };
  };

  const rows = (sql: string) => current().database.query<Record<string, unknown>>(sql);
  return { replica, issuedOffer, rows };
}

export type Reserve = ReturnType<ReturnType<typeof statusListsOf>['replica']>;
