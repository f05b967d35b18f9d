import { CONTENT_STATES, QUERY_MODES, schemaFaults } from '@vestibule/contracts';
import { ApiError } from '@vestibule/foundation';
import { z } from 'zod';

const did = z.string().min(1).max(512);
const owner = { entityDid: did, walletDid: did };
const wholeNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be a positive integer')
  .transform(Number);
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const state = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(CONTENT_STATES));
const queryMode = z.enum(QUERY_MODES).default('All');
const page = {
  limit: wholeNumber.pipe(z.int().max(1000)).default(100),
  cursor: z.string().max(512).optional(),
};

/** Query of `POST /wallet`. */
export const walletQuery = z.strictObject({ entityDid: did });

/** Query of the single reads. */
export const readQuery = z.strictObject({ ...owner, queryMode, revision: wholeNumber.optional() });

/** Query of `GET /credentials`. `state` is read in any case. */
export const credentialListQuery = z.strictObject({
  ...owner,
  ...page,
  queryMode,
  state: state.optional(),
  getBodies: flag.default(false),
});

/** Query of `GET /vp`. */
export const presentationListQuery = z.strictObject({
  ...owner,
  ...page,
  state: state.optional(),
  getBodies: flag.default(false),
});

/** Reads a query string by its schema; throws `invalid_request` with every fault. */
export function parseQuery<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, query: unknown) {
  const parsed = schema.safeParse(query);
  if (parsed.success) return parsed.data;
  const faults = schemaFaults(parsed.error, Object.keys(schema.shape));
  throw new ApiError({ kind: 'invalid', code: 'invalid_request', detail: 'the query string is not valid', faults });
}
