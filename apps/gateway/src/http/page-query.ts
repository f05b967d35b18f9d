import { z } from 'zod';

/** A positive integer in a query string. */
export const wholeNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be a positive integer')
  .transform(Number);

/** The parameters of every list. */
export const pageQuery = {
  limit: wholeNumber
    .pipe(z.int().max(1000, 'must be at most 1000'))
    .default(100)
    .meta({ type: 'integer', minimum: 1, maximum: 1000, description: 'Maximum number of items per page; default 100' }),
  cursor: z.string().max(1024).optional().describe('Start of the page, from the Link header of the previous page'),
};
