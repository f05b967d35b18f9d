import { encodeBase64url } from '@vestibule/foundation';
import { createNewestFirst, type Database } from '@vestibule/persistence';
import type { OfferList } from '../../domain/ports';
import { storedOffer, VIEW_COLUMNS, type ViewRow } from './offer-view';

interface ListRow extends ViewRow {
  readonly key: Buffer;
}

const OFFER_LIST = { table: 'issuer.credential_offer', key: 'offer_id', columns: VIEW_COLUMNS };

/** The offers in Postgres, newest first: no sealed column is read. */
export function createOfferList(database: Database): OfferList {
  const newestFirst = createNewestFirst<ListRow>({ database, ...OFFER_LIST });
  return async (question) => {
    const { rows, ...page } = await newestFirst(question);
    return { offers: rows.map((row) => storedOffer(encodeBase64url(row.key), row)), ...page };
  };
}
