import type { FastifyRequest } from 'fastify';
import { cursorFor, type ListName } from './page-query';

/** The last segment of the address of the request's route. */
function lastSegment({ routeOptions, params }: FastifyRequest): string {
  const last = routeOptions.url?.split('/').at(-1) ?? '';
  if (!last.startsWith(':')) return last;
  return (params as Readonly<Record<string, string>>)[last.slice(1)] ?? '';
}

/** The `Link` header of a list with a next page (RFC 8288): relative to the request, with the cursor of that page. */
export function nextPageLink(
  request: FastifyRequest,
  list: ListName,
  cursor: string | undefined,
): Record<string, string> {
  if (cursor === undefined) return {};
  const query = request.query as Readonly<Record<string, unknown>>;
  const parameters = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const next = new URLSearchParams([
    ...parameters.filter(([name]) => name !== 'cursor'),
    ['cursor', cursorFor(list, cursor)],
  ]);
  return { link: `<${lastSegment(request)}?${next}>; rel="next"` };
}
