import type { FastifyRequest } from 'fastify';

/**
 * Every value of a header field as it was sent. Node joins repeated fields, or drops all but the first of them, so
 * that only the raw headers show a second `DPoP` or `Authorization`.
 */
export function headerValues(request: FastifyRequest, name: string): string[] {
  const { rawHeaders } = request.raw;
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}
