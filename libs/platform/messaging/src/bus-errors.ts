import type { ErrorEntry } from '@vestibule/foundation';

/** The errors of any question on the bus. */
export const BUS_ERRORS = {
  service_unavailable: {
    status: 503,
    meaning: 'the service behind the gateway is unavailable: it is not running, or there is no connection to NATS',
    remedy: 'try again; operators: `/health/ready` of the management listener shows which service is affected',
  },
  service_timeout: {
    status: 503,
    meaning: 'the service did not respond in time; it may or may not have acted',
    remedy: 'repeat the call with the same `Idempotency-Key`',
  },
  message_too_large: {
    status: 413,
    meaning: 'the message is too large for the bus',
    remedy: 'send a smaller body; operators: set `max_payload` of NATS to at least 2 MB',
  },
  invalid_message: {
    status: 400,
    meaning: 'a request on the bus violates its contract',
    remedy: 'run the same version of the gateway and all services',
  },
  invalid_answer: {
    status: 500,
    meaning: 'a reply on the bus violates its contract',
    remedy: 'run the same version of the gateway and all services',
  },
  contract_version_mismatch: {
    status: 503,
    meaning: 'the gateway and a service have versions whose contracts do not work together',
    remedy:
      'operators: upgrade the services first, then the gateways; the logs of both name the versions (`contract version`)',
  },
  answer_not_sent: {
    status: 500,
    meaning: 'a reply is too large for the bus',
    remedy: 'set `max_payload` of NATS to at least 2 MB',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

declare module '@vestibule/foundation' {
  interface ErrorTables {
    readonly bus: typeof BUS_ERRORS;
  }
}
