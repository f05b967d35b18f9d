import type { ResourceView } from '@vestibule/contracts';
import { ApiError } from '@vestibule/foundation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { headerValues } from '../http/header-values';

const TAG = /^(?:"([1-9]\d{0,8})"|([1-9]\d{0,8}))$/;
/** No resource has it, so a tag that is none of ours never matches. */
const NO_REVISION = 0;

/**
 * The revision that `If-Match` names, with or without quotes; none for `*` and where there is no such header. A weak tag
 * never matches (RFC 9110 §13.1.1). Throws `invalid_request` for more than one tag.
 */
export function ifMatchFrom(request: FastifyRequest): { ifRevision?: number } {
  const [tag, ...more] = headerValues(request, 'if-match');
  if (tag === undefined || tag.trim() === '*') return {};
  if (more.length > 0 || tag.includes(',')) {
    const faults = [{ path: 'If-Match', message: 'must be one entity tag' }];
    throw new ApiError({ kind: 'invalid', code: 'invalid_request', detail: 'If-Match must be one entity tag', faults });
  }
  const [, quoted, bare] = TAG.exec(tag.trim()) ?? [];
  return { ifRevision: Number(quoted ?? bare ?? NO_REVISION) };
}

/** The resource as the answer, with its entity tag as a header too. */
export async function tagged(reply: FastifyReply, resource: Promise<ResourceView>): Promise<ResourceView> {
  const answer = await resource;
  void reply.header('etag', `"${answer.etag}"`);
  return answer;
}
