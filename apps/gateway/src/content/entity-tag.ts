import {
  createParamDecorator,
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type PipeTransform,
} from '@nestjs/common';
import type { ResourceView } from '@vestibule/contracts';
import { ApiError } from '@vestibule/foundation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { tap } from 'rxjs';
import { headerValues } from '../http/header-values';

const TAG = /^(?:"([1-9]\d{0,8})"|([1-9]\d{0,8}))$/;
/** No resource has this revision, so an unknown tag never matches. */
const NO_REVISION = 0;

/** The resource that a call changes, and its revision if only that one may be changed. */
export interface Changed {
  readonly id: string;
  readonly ifRevision?: number;
}

interface Named {
  readonly id: string;
  readonly tags: readonly string[];
}

/**
 * The revision in `If-Match`, with or without quotes; undefined for `*` and without the header. A weak tag never
 * matches (RFC 9110 §13.1.1). Throws `invalid_request` for more than one tag.
 */
function revisionFrom([tag, ...more]: readonly string[]): Pick<Changed, 'ifRevision'> {
  if (tag === undefined || tag.trim() === '*') return {};
  if (more.length > 0 || tag.includes(',')) {
    const faults = [{ path: 'If-Match', message: 'must be one entity tag' }];
    throw new ApiError({ kind: 'invalid', code: 'invalid_request', detail: 'If-Match must be one entity tag', faults });
  }
  const [, quoted, bare] = TAG.exec(tag.trim()) ?? [];
  return { ifRevision: Number(quoted ?? bare ?? NO_REVISION) };
}

class ChangedPipe implements PipeTransform<Named, Changed> {
  constructor(private readonly segment: PipeTransform<string, string>) {}

  transform({ id, tags }: Named): Changed {
    return { id: this.segment.transform(id, { type: 'param' }), ...revisionFrom(tags) };
  }
}

const readNamed = createParamDecorator((segment: string, context: ExecutionContext): Named => {
  const request = context.switchToHttp().getRequest<FastifyRequest<{ Params: Record<string, string> }>>();
  return { id: request.params[segment] ?? '', tags: headerValues(request, 'if-match') };
});

/**
 * A path segment, by default `id`, and `If-Match`; the segment goes through this pipe. Describe them with {@link
 * ID_PARAMETER} and `IF_MATCH_HEADER`.
 */
export const Change = (pipe: PipeTransform<string, string>, segment = 'id') =>
  readNamed(segment, new ChangedPipe(pipe));

/** The API description of the segment that {@link Change} reads. */
export const ID_PARAMETER = { name: 'id', schema: { type: 'string' as const } };

/** Adds the entity tag of the resource in the answer as a header. */
@Injectable()
class EntityTagInterceptor implements NestInterceptor<ResourceView, ResourceView> {
  intercept(context: ExecutionContext, next: CallHandler<ResourceView>) {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(tap(({ etag }) => void reply.header('etag', `"${etag}"`)));
  }
}

/** A route that returns a resource: its entity tag is sent as a header as well. */
export const Tagged = () => UseInterceptors(EntityTagInterceptor);
