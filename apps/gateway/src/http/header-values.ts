import type { FastifyRequest } from 'fastify';

/** More than one is refused wherever one is expected; the contracts of the bus allow this many. */
const MAX_VALUES = 10;

/**
 * The values of a header field as they were sent, at most ten. Node joins repeated fields, or drops all but the first,
 * so only the raw headers show a second `DPoP` or `Authorization`.
 */
export function headerValues(request: FastifyRequest, name: string): string[] {
  const { rawHeaders } = request.raw;
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '');
  }
  return values.slice(0, MAX_VALUES);
}
