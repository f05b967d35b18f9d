import { API_VERSIONS, type ApiVersion } from '@vestibule/contracts';
import { ApiError } from '@vestibule/foundation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { headerValues } from '../http/header-values';
import { tenantFrom } from './api-key';

/** How long the previous version of the schema and draft API is answered. */
export interface VersionPolicy {
  readonly deprecatedAt: Date;
  /** From here on it is answered with 410; undefined where the operator has set no end. */
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
 * The version that a request is in. The answer says it, and for the previous one since when it is deprecated (RFC 9745)
 * and, where an end is set, when it ends (RFC 8594). Throws `api_version_unknown`, and `api_version_gone` after that end.
 */
export function versionFrom(request: FastifyRequest, reply: FastifyReply, policy: VersionPolicy): ApiVersion {
  const version = askedFor(request);
  void reply.header(VERSION_HEADER, version);
  if (version !== PREVIOUS) return version;
  const { deprecatedAt, endsAt } = policy;
  void reply.header('Deprecation', `@${Math.floor(deprecatedAt.getTime() / 1000)}`);
  if (endsAt === undefined) return version;
  void reply.header('Sunset', endsAt.toUTCString());
  if (endsAt.getTime() > Date.now()) return version;
  const detail = `version ${PREVIOUS} has ended; send no ${VERSION_HEADER}, or ${CURRENT}`;
  throw new ApiError({ kind: 'gone', code: 'api_version_gone', detail });
}

/** Who calls the schema and draft API, in which version of it. Throws as {@link versionFrom}, and `api_key_missing`. */
export function callerFrom(request: FastifyRequest, reply: FastifyReply, policy: VersionPolicy) {
  return { version: versionFrom(request, reply, policy), ...tenantFrom(request) };
}
