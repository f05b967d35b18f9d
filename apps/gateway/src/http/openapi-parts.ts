import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { z } from 'zod';
import { describeSchema } from './schema-description';

/** RFC 9457 problem details, for the API description. */
const problem = z
  .object({
    type: z.string().meta({ example: 'urn:vestibule:error:invalid_request' }),
    title: z.string().meta({ example: 'The request is not valid' }),
    status: z.int().meta({ example: 400 }),
    detail: z.string().meta({ example: 'the body is not valid' }),
    code: z.string().describe('Stable: one of the documented codes').meta({ example: 'invalid_request' }),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('Every fault in the input')
      .meta({ example: [{ path: 'expiresIn', message: 'is not a known member; did you mean expires_in?' }] }),
    instance: z.string().describe('The request id, as in every log line of this request'),
  })
  .meta({ id: 'Problem' });

export const PROBLEM_TYPE = 'application/problem+json';

export const PROBLEM_RESPONSE = {
  status: 'default' as const,
  description: 'Any error, as application/problem+json (RFC 9457)',
  standardSchema: problem,
};

export const IDEMPOTENCY_HEADER = {
  name: 'Idempotency-Key',
  required: false,
  description:
    'The same key with the same body returns the same response within 24 hours; the same key with another body returns 409',
  schema: { type: 'string' as const, minLength: 32, maxLength: 256, pattern: '^[A-Za-z0-9-]+$' },
};

export const NEXT_PAGE_HEADER = {
  Link: {
    description: 'rel="next" with the URL of the next page, relative to this one; absent on the last page',
    schema: { type: 'string' as const },
  },
};

/** Describes each query parameter of a route from the schema that reads them. */
export function ApiQueryString(schema: z.ZodObject): MethodDecorator {
  const { properties, required } = describeSchema(schema, 'input').schema as {
    properties: Record<string, Record<string, unknown>>;
    required?: readonly string[];
  };
  const parameters = Object.entries(properties).map(([name, { description, ...part }]) =>
    ApiQuery({ name, required: required?.includes(name) ?? false, description: description as string, schema: part }),
  );
  return applyDecorators(...parameters);
}
