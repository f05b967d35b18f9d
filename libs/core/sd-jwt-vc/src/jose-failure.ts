import { DomainError } from '@vestibule/foundation';
import { sdJwtFailure, type SdJwtFailureCode } from './failures';

/** How the failures of the JOSE functions are called for one of the two JWTs in an SD-JWT. */
export type JoseFailureNames = Readonly<Record<string, SdJwtFailureCode>>;

export const ISSUER_JWT: JoseFailureNames = {
  jws_malformed: 'issuer_jwt_malformed',
  jws_number_not_exact: 'issuer_jwt_malformed',
  jws_algorithm_not_allowed: 'issuer_algorithm_not_allowed',
  jws_critical_header: 'issuer_critical_header',
  jws_signature_invalid: 'issuer_signature_invalid',
};

export const KEY_BINDING_JWT: JoseFailureNames = {
  jws_malformed: 'key_binding_malformed',
  jws_number_not_exact: 'key_binding_malformed',
  jws_algorithm_not_allowed: 'key_binding_algorithm',
  jws_critical_header: 'key_binding_critical_header',
  jws_signature_invalid: 'key_binding_signature',
};

export const CONFIRMATION_KEY: JoseFailureNames = { jwk_not_allowed: 'confirmation_key_not_allowed' };

/** Runs a JOSE function and renames its failures, so that a record tells the issuer's JWT from the holder's. */
export function renamingFailures<T>(names: JoseFailureNames, run: () => T): T {
  try {
    return run();
  } catch (error) {
    const code = error instanceof DomainError && Object.hasOwn(names, error.code) ? names[error.code] : undefined;
    if (code === undefined) throw error;
    // The place of a number is worth telling; the other sentences are about any JWS.
    const detail = error instanceof DomainError && error.code === 'jws_number_not_exact' ? error.detail : undefined;
    throw sdJwtFailure(code, detail, error);
  }
}
