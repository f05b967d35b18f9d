import { RESERVED_AT_TOP, RESERVED_EVERYWHERE } from '@vestibule/sd-jwt-vc';

/** Claims that the issuer sets itself or never issues: a backend may not send them (SD-JWT VC §2.2.2). */
export const RESERVED_CLAIMS: ReadonlySet<string> = new Set(RESERVED_AT_TOP);

/** Reserved claims that no credential of this issuer holds, so that no type may call them mandatory. */
export const NEVER_ISSUED_CLAIMS: ReadonlySet<string> = new Set(['nbf', 'jti', 'aka_vcts']);

/** Member names that carry the selective disclosure itself, at any depth (RFC 9901 §4.1). */
export const SD_JWT_NAMES: ReadonlySet<string> = new Set(RESERVED_EVERYWHERE);
