import { createParamDecorator, Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { API_VERSIONS, type ApiVersion } from '@vestibule/contracts';
import { ApiError } from '@vestibule/foundation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EarlyGuard } from '../http/early-guard';
import { headerValues } from '../http/header-values';
import { tenantOf, type TenantKey } from './tenant';

/** How long the previous version of the schema and draft API is supported. */
export interface VersionPolicy {
  readonly deprecatedAt: Date;
  /** From this time on it is answered with 410; undefined if the operator has set no end. */
  readonly endsAt?: Date | undefined;
}

/** Injection token of {@link VersionPolicy}. */
export const VERSION_POLICY = Symbol('version policy');

export const VERSION_HEADER = 'X-Service-OAS-Version';
const [CURRENT, PREVIOUS] = API_VERSIONS;

function askedFor(request: FastifyRequest): ApiVersion {
  const [asked = CURRENT, ...more] = headerValues(request, VERSION_HEADER.toLowerCase());
  const known = API_VERSIONS.find((version) => version === asked);
  if (known !== undefined && more.length === 0) return known;
  const detail = `${VERSION_HEADER} must be one of ${API_VERSIONS.join(', ')}`;
  throw new ApiError({ kind: 'invalid', code: 'api_version_unknown', detail });
}

/**
 * The version that a request uses. The answer states it, and for the previous version also since when it is deprecated
 * (RFC 9745) and, if an end is set, when it ends (RFC 8594). Throws `api_version_unknown`, and `api_version_gone` after
 * that end.
 */
function versionFrom(request: FastifyRequest, reply: FastifyReply, policy: VersionPolicy): ApiVersion {
  const version = askedFor(request);
  void reply.header(VERSION_HEADER, version);
  if (version !== PREVIOUS) return version;
  const { deprecatedAt, endsAt } = policy;
  void reply.header('Deprecation', `@${Math.floor(deprecatedAt.getTime() / 1000)}`);
  if (endsAt === undefined) return version;
  void reply.header('Sunset', endsAt.toUTCString());
  if (endsAt.getTime() > Date.now()) return version;
  const detail = `version ${PREVIOUS} has ended; omit ${VERSION_HEADER}, or send ${CURRENT}`;
  throw new ApiError({ kind: 'gone', code: 'api_version_gone', detail });
}

const versions = new WeakMap<FastifyRequest, ApiVersion>();

/**
 * Judges the version right after the API key and before the body is read, so that every answer to a tenant states it. Throws
 * as {@link versionFrom} does.
 */
@Injectable()
export class ApiVersionGuard extends EarlyGuard {
  constructor(@Inject(VERSION_POLICY) private readonly policy: VersionPolicy) {
    super();
  }

  protected judge(request: FastifyRequest, reply: FastifyReply): void {
    versions.set(request, versionFrom(request, reply, this.policy));
  }
}

/** The caller of the schema and draft API, and the version that it uses. */
export interface ApiCaller extends TenantKey {
  readonly version: ApiVersion;
}

/** The tenant and the version of a call, which the guards of the route have determined. */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext): ApiCaller => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const version = versions.get(request);
  if (version === undefined) throw new TypeError('no guard has determined the version of this request');
  return { version, ...tenantOf(request) };
});
