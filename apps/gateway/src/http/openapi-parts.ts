import { z } from 'zod';

/** RFC 9457 problem details, for the API description. */
const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().describe('Stable: one of the documented table of codes'),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    instance: z.string().describe('The request id, as in every log line of this request'),
  })
  .meta({ id: 'Problem' });

export const PROBLEM_RESPONSE = {
  status: 'default' as const,
  description: 'Any error, as application/problem+json (RFC 9457)',
  standardSchema: problem,
};

export const IDEMPOTENCY_HEADER = {
  name: 'Idempotency-Key',
  required: false,
  description: 'Same key and body within 24 hours: same answer; same key and another body: 409',
  schema: { type: 'string' as const, minLength: 32, maxLength: 256, pattern: '^[A-Za-z0-9-]+$' },
};
