import { isJsonObject, type JsonObject } from '@vestibule/foundation';
import { z } from 'zod';
import { dictionary } from './dictionary';

/** A JSON object whose members are validated by the service that understands them. */
export const jsonObject = z.custom<JsonObject>(isJsonObject, {
  error: ({ input }) => (input === undefined ? 'is required' : 'must be an object'),
});

/** One of these values of a status or state, in upper or lower case; read as it is written here. */
export const inAnyCase = <const Values extends readonly [string, ...string[]]>(values: Values, description?: string) =>
  z
    .string({ error: ({ input }) => (input === undefined ? 'is required' : `must be one of ${values.join(', ')}`) })
    .transform((text) => values.find((value) => value.toLowerCase() === text.toLowerCase()) ?? text)
    .pipe(z.enum(values))
    .meta({ enum: [...values], ...(description === undefined ? {} : { description }) });

/** A timestamp on the bus: RFC 3339 in UTC. */
export const instant = z.iso.datetime();

/**
 * A DID and nothing behind it (DID Core §3.1): with a path, query or fragment it is the URL of something else, such as a
 * key, and may hold personal data.
 */
export const DID = /^did:[a-z0-9]+:(?:[A-Za-z0-9._:-]|%[0-9A-Fa-f]{2})*(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})$/;

/** `Idempotency-Key` of a creating call: the same key and body get the same answer for 24 hours. */
export const idempotencyKey = z
  .string()
  .regex(/^[A-Za-z0-9-]{32,256}$/, 'must have 32 to 256 characters of A-Z, a-z, 0-9 and -');

/** The body of a creating call as received, and the caller's idempotency key if there was one. */
export const creation = z.object({ body: jsonObject, idempotencyKey: idempotencyKey.optional() });

/** Name and value of each form field, in order, including repeated names. */
export const formEntries = z.array(z.tuple([z.string(), z.string()])).max(100);

/** Every value of one HTTP header field, in order: services refuse repeated headers. */
export const headerValues = z.array(z.string()).max(10);

/** Which rows of a list of flows are asked for, newest first. */
export const flowList = {
  createdFrom: instant.optional(),
  createdBefore: instant.optional(),
  limit: z.int().min(1).max(1000),
  cursor: z.string().max(1024).optional(),
};

/** Which parts of a service are ready, and when its certificates expire. */
export const readiness = z.object({
  ready: z.boolean(),
  checks: dictionary(z.string(), z.boolean()),
  expires: dictionary(z.string(), instant).optional(),
});
export type Readiness = z.infer<typeof readiness>;
