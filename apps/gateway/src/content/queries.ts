import { CONTENT_STATES, inAnyCase, QUERY_MODES } from '@vestibule/contracts';
import { z } from 'zod';
import { pageQuery, wholeNumber } from '../http/page-query';
import { isName } from '../http/path-segment';

const did = (description: string) =>
  z
    .string()
    .refine((text) => isName(text, 512), 'must be a DID')
    .meta({ description, example: 'did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169' });
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

const owner = { entityDid: did('The entity that owns the wallet'), walletDid: did('The wallet') };
const queryMode = inAnyCase(QUERY_MODES)
  .default('All')
  .describe('`Held`: the holder is the owner of the wallet; `Presented`: it is not. In upper or lower case');
const revision = wholeNumber
  .meta({ type: 'integer', minimum: 1, description: 'A revision to return instead of the latest' })
  .optional();

/** Query of `POST /wallet`. */
export const walletQuery = z.strictObject({ entityDid: did('The entity that will own the wallet') });

/** Query of `GET /entities`. */
export const entityListQuery = z.strictObject(pageQuery('entities'));

/** Query of `GET /wallets`. */
export const walletListQuery = z.strictObject({
  entityDid: did('Only wallets that this entity owns').optional(),
  ...pageQuery('wallets'),
});

/** Query of `GET /credential/{did}`. */
export const credentialQuery = z.strictObject({ ...owner, revision });

/** Query of `GET /vp/{did}`. */
export const presentationQuery = z.strictObject({ ...owner, queryMode, revision });

/** Query of writing routes: both parts of a wallet's name, or neither. */
export const somewhereQuery = z.strictObject({
  entityDid: owner.entityDid.optional(),
  walletDid: owner.walletDid.optional(),
});

/** Query of `PATCH /schemas/{id}/publish`. */
export const signerQuery = z.strictObject({
  entityDid: did('The entity that owns and signs the schema; default: the owner of the default wallet').optional(),
});

/** Query of `POST /vp/{did}/present`. */
export const targetQuery = z.strictObject({
  entityDid: did('The entity that owns the wallet to present to'),
  walletDid: did('The wallet to present to'),
});

const contentQuery = {
  ...owner,
  queryMode,
  labelSelector: z
    .string()
    .max(1024)
    .optional()
    .describe('Label selector in the syntax of Kubernetes: a=b, a!=b, a in (b,c), a notin (b,c), a, !a'),
  state: inAnyCase(CONTENT_STATES, 'In upper or lower case').optional(),
  getBodies: flag.default(false).describe('Whether items include their Body; default false'),
};

/** Query of `GET /credentials`. */
export const credentialListQuery = z.strictObject({ ...contentQuery, ...pageQuery('credentials') });

/** Query of `GET /vp`. */
export const presentationListQuery = z.strictObject({ ...contentQuery, ...pageQuery('presentations') });
