import { CONTENT_STATES, QUERY_MODES, schemaFaults } from '@vestibule/contracts';
import { ApiError, type JsonValue } from '@vestibule/foundation';
import { z } from 'zod';
import { isName } from '../http/path-segment';

const did = (description: string) =>
  z
    .string()
    .refine((text) => isName(text, 512), 'must be a DID')
    .meta({ description, example: 'did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169' });
const wholeNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be a positive integer')
  .transform(Number);
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

const owner = { entityDid: did('The entity that owns the wallet'), walletDid: did('The wallet') };
const queryMode = z
  .enum(QUERY_MODES)
  .default('All')
  .describe('`Held`: the holder is the owner of the wallet; `Presented`: it is not');
const revision = wholeNumber
  .meta({ type: 'integer', minimum: 1, description: 'An older revision instead of the latest' })
  .optional();

/** What every list takes. */
export const pageQuery = {
  limit: wholeNumber
    .pipe(z.int().max(1000, 'must be at most 1000'))
    .default(100)
    .meta({ type: 'integer', minimum: 1, maximum: 1000, description: 'Items on a page; 100 when absent' }),
  cursor: z.string().max(1024).optional().describe('Where the page begins: from the Link header of the page before'),
};

/** Query of `POST /wallet`. */
export const walletQuery = z.strictObject({ entityDid: did('The entity that will own the wallet') });

/** Query of `GET /credential/{did}`. */
export const credentialQuery = z.strictObject({ ...owner, revision });

/** Query of `GET /vp/{did}`. */
export const presentationQuery = z.strictObject({ ...owner, queryMode, revision });

/** Query of what is written: both names of a wallet, or neither. */
export const somewhereQuery = z.strictObject({
  entityDid: owner.entityDid.optional(),
  walletDid: owner.walletDid.optional(),
});

/** Query of `PATCH /schemas/{id}/publish`. */
export const signerQuery = z.strictObject({
  entityDid: did('The entity that owns and signs the schema; that of the default wallet when absent').optional(),
});

/** Query of `POST /vp/{did}/present`. */
export const targetQuery = z.strictObject({
  entityDid: did('The entity that owns the wallet to present to'),
  walletDid: did('The wallet to present to'),
});

/** Query of `GET /vp` and `GET /credentials`. `state` is read in any case. */
export const contentListQuery = z.strictObject({
  ...owner,
  queryMode,
  labelSelector: z
    .string()
    .max(1024)
    .optional()
    .describe('Which labels the items have, in the syntax of Kubernetes: a=b, a!=b, a in (b,c), a notin (b,c), a, !a'),
  state: z
    .string()
    .transform((text) => text.toLowerCase())
    .pipe(z.enum(CONTENT_STATES))
    .optional()
    .meta({ enum: [...CONTENT_STATES], description: 'In any case' }),
  getBodies: flag.default(false).describe('Whether the items carry their Body; false when absent'),
  ...pageQuery,
});

/** Reads a query string by its schema; throws `invalid_request` with every fault. */
export function parseQuery<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, query: unknown) {
  const parsed = schema.safeParse(query);
  if (parsed.success) return parsed.data;
  const faults = schemaFaults(parsed.error, Object.keys(schema.shape));
  throw new ApiError({ kind: 'invalid', code: 'invalid_request', detail: 'the query string is not valid', faults });
}

/** Reads a body by its schema; throws `invalid_request` with every fault. */
export function parseBody<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, body: JsonValue | undefined) {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const faults = schemaFaults(parsed.error, [...Object.keys(schema.shape), 'Labels', 'Annotations']);
  throw new ApiError({ kind: 'invalid', code: 'invalid_request', detail: 'the body is not valid', faults });
}
