import { z } from 'zod';

/** A positive integer as a query string has it. */
export const wholeNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be a positive integer')
  .transform(Number);

/** What every list takes. */
export const pageQuery = {
  limit: wholeNumber
    .pipe(z.int().max(1000, 'must be at most 1000'))
    .default(100)
    .meta({ type: 'integer', minimum: 1, maximum: 1000, description: 'Items on a page; 100 when absent' }),
  cursor: z.string().max(1024).optional().describe('Where the page begins: from the Link header of the page before'),
};
