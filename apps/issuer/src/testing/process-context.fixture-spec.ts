import type { ProcessContext } from '@vestibule/process';
import { QUIET, RETENTION_SECONDS } from './store.fixture-spec';

const nothing = () => undefined;

/** What a running process gives the module of the issuer. */
export const CONTEXT = {
  name: 'issuer',
  configuration: {
    retentionSeconds: RETENTION_SECONDS,
    redeliverySeconds: 120,
    callbackLifetimeSeconds: 86_400,
    keepClaimsUntilExpiry: false,
  },
  logger: QUIET,
  readiness: { require: nothing, showExpiry: nothing },
} as unknown as ProcessContext;
