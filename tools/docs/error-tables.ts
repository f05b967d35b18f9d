import { JOSE_FAILURES, SEAL_ERRORS } from '@vestibule/crypto';
import { BACKEND_ERRORS, OUTCOME_ERRORS, SCHEMA_ERRORS, SERVICE_ERRORS, WALLET_ERRORS } from '@vestibule/contracts';
import { DCQL_FAILURES } from '@vestibule/dcql';
import { EGRESS_FAILURES } from '@vestibule/egress';
import { KEY_ERRORS } from '@vestibule/keys';
import { OAUTH_ERRORS, type ErrorEntry, type ErrorTables } from '@vestibule/foundation';
import { BUS_ERRORS } from '@vestibule/messaging';
import { ISSUER_CONFIGURATION_ERRORS } from '@vestibule/oid4vci';
import { PRESENTATION_FAILURES, RESPONSE_FAILURES } from '@vestibule/oid4vp';
import { PERSISTENCE_ERRORS } from '@vestibule/persistence';
import { HEALTH_ERRORS, STARTUP_ERRORS } from '@vestibule/process';
import { ISSUANCE_ERRORS, SD_JWT_FAILURES } from '@vestibule/sd-jwt-vc';
import { STATUS_FAILURES } from '@vestibule/status-list';
import { TRUSTED_LIST_FAILURES } from '@vestibule/trusted-lists';
import { VCDM_FAILURES } from '@vestibule/vcdm';
import { X509_CONFIGURATION_FAULTS, X509_FAILURES } from '@vestibule/x509-trust';

type Described = Omit<ErrorEntry, 'remedy'> & { readonly remedy?: string };

/**
 * Every table of the product's error codes, by its name in `ErrorTables`: if this list lacks one that a library
 * registers, it does not compile. The development stack's own codes are not for users.
 */
export const ERROR_TABLES: {
  readonly [Name in Exclude<keyof ErrorTables, 'stack'>]: Readonly<Record<keyof ErrorTables[Name], Described>>;
} = {
  oauth: OAUTH_ERRORS,
  jose: JOSE_FAILURES,
  seal: SEAL_ERRORS,
  dcql: DCQL_FAILURES,
  vcdm: VCDM_FAILURES,
  sdJwt: SD_JWT_FAILURES,
  issuance: ISSUANCE_ERRORS,
  x509: X509_FAILURES,
  x509Configuration: X509_CONFIGURATION_FAULTS,
  status: STATUS_FAILURES,
  trustedList: TRUSTED_LIST_FAILURES,
  presentation: PRESENTATION_FAILURES,
  response: RESPONSE_FAILURES,
  issuerConfiguration: ISSUER_CONFIGURATION_ERRORS,
  egress: EGRESS_FAILURES,
  keys: KEY_ERRORS,
  backend: BACKEND_ERRORS,
  schema: SCHEMA_ERRORS,
  wallet: WALLET_ERRORS,
  outcome: OUTCOME_ERRORS,
  service: SERVICE_ERRORS,
  bus: BUS_ERRORS,
  persistence: PERSISTENCE_ERRORS,
  startup: STARTUP_ERRORS,
  health: HEALTH_ERRORS,
};
