import { z } from 'zod';
import { contract } from './contract';
import { instant } from './fields';

/** The services that send callbacks to backends. */
export const REPORTING_SERVICES = ['verifier', 'issuer'] as const;
export type ReportingService = (typeof REPORTING_SERVICES)[number];

/** `waiting`: will be retried. `dead`: given up, and its payload deleted. */
export const CALLBACK_STATES = ['waiting', 'dead'] as const;

/** An undelivered event as operators see it: never a claim. */
export const undeliveredCallback = z
  .object({
    id: z.string().describe('The `webhook-id` of its attempts'),
    service: z.enum(REPORTING_SERVICES),
    subject: z.string().describe('The state of its presentation request, or the id of its offer'),
    status: z.string().optional().describe('What it reports: `FULFILLED`, `OFFER_CREATED`, …'),
    state: z.enum(CALLBACK_STATES),
    target: z.string().optional().describe('Origin of its own receiver; absent for the configured one'),
    attempts: z.int(),
    last_result: z.string().optional().describe('Class of the last result: `http_503`, `timeout`, `tls_error`, …'),
    created_at: instant,
    age_seconds: z.int(),
    next_attempt_at: instant.optional().describe('Only while it is pending'),
    held_until: instant
      .optional()
      .describe('Only of an ISSUED whose response is not known to be handed over: when it is sent at the latest'),
    expires_at: instant.describe('When it is given up'),
    dead_at: instant.optional().describe('When it was given up'),
    replayable: z.boolean().optional().describe('Only of a dead letter: can it be rebuilt and sent again?'),
  })
  .meta({ id: 'UndeliveredCallback' });
export type UndeliveredCallback = z.infer<typeof undeliveredCallback>;

/** Answer to a retry. */
export const callbackRetry = z
  .object({ retried: z.int().describe('Events that are due now') })
  .meta({ id: 'CallbackRetry' });

const callbackId = z.string().max(128);

const listQuestion = z.object({
  state: z.enum(CALLBACK_STATES),
  limit: z.int().min(1).max(1000),
  cursor: z.string().max(1024).optional(),
});
const listAnswer = z.object({ items: z.array(undeliveredCallback), nextCursor: z.string().optional() });

/** Lists undelivered events for an operator, oldest first. Fails with `invalid_request` for an invalid cursor. */
export const ListCallbacks = {
  verifier: contract('verifier.callback.list', listQuestion, listAnswer),
  issuer: contract('issuer.callback.list', listQuestion, listAnswer),
} as const;

/**
 * Makes waiting events due now: all of them, or those of one event's subject. Fails with `callback_not_found` if no
 * such event is waiting; a dead one has no payload and cannot be sent any more.
 */
export const RetryCallbacks = {
  verifier: contract('verifier.callback.retry', z.object({ id: callbackId.optional() }), callbackRetry),
  issuer: contract('issuer.callback.retry', z.object({ id: callbackId.optional() }), callbackRetry),
} as const;

/** Gives up on a waiting event. Fails with `callback_not_found`. */
export const DropCallback = {
  verifier: contract('verifier.callback.drop', z.object({ id: callbackId }), z.object({})),
  issuer: contract('issuer.callback.drop', z.object({ id: callbackId }), z.object({})),
} as const;

/** Answer to a replay. */
export const callbackReplay = z
  .object({
    replayed: z.int().describe('Dead letters that were rebuilt and are due now'),
    more: z.boolean().describe('True when there are further ones: call again'),
  })
  .meta({ id: 'CallbackReplay' });

/**
 * Sends dead letters after all, rebuilt without claims, under the same `webhook-id`: a single one, or all that report
 * an end. Fails with `callback_not_found`, and with `callback_not_replayable` for one whose body contained claims or
 * was stored by an older release.
 */
export const ReplayCallbacks = {
  verifier: contract('verifier.callback.replay', z.object({ id: callbackId.optional() }), callbackReplay),
  issuer: contract('issuer.callback.replay', z.object({ id: callbackId.optional() }), callbackReplay),
} as const;

/** The result of a test event. */
export const callbackTest = z
  .object({
    service: z.enum(REPORTING_SERVICES),
    delivered: z.boolean().describe('True when the receiver answered with 2xx'),
    result: z.string().describe('Class of the result: `http_204`, `timeout`, `tls_error`, …'),
    milliseconds: z.int(),
    webhook_id: z.string(),
    signatures: z.array(z.enum(['v1', 'v1a'])).describe('Schemes of its signatures; empty without a secret'),
  })
  .meta({ id: 'CallbackTest' });

/** Longer than a delivery attempt may take. */
const TEST_MILLISECONDS = 15_000;
const testQuestion = z.object({ url: z.string().max(2048).optional() });

/**
 * Sends a test event: one attempt, nothing is stored. Fails with `invalid_request` for an origin that is not allowed.
 */
export const TestCallback = {
  verifier: contract('verifier.callback.test', testQuestion, callbackTest, TEST_MILLISECONDS),
  issuer: contract('issuer.callback.test', testQuestion, callbackTest, TEST_MILLISECONDS),
} as const;

/** A key that signs callbacks, as far as a receiver may know it. */
const callbackKey = z
  .object({
    scheme: z.enum(['v1', 'v1a']).describe('`v1`: a shared secret, never shown; `v1a`: an Ed25519 key'),
    public_key: z.string().optional().describe('`whpk_…`, with which a receiver verifies; only of `v1a`'),
  })
  .meta({ id: 'CallbackKey' });
export type CallbackKey = z.infer<typeof callbackKey>;

/** The keys that sign the callbacks of a service; empty if they are not signed. */
export const callbackKeys = z
  .object({ service: z.enum(REPORTING_SERVICES), keys: z.array(callbackKey) })
  .meta({ id: 'CallbackKeys' });
export type CallbackKeys = z.infer<typeof callbackKeys>;

/** Lists the keys that sign every callback of a service, in the order of its configuration; never a secret. */
export const ListCallbackKeys = {
  verifier: contract('verifier.callback-key.list', z.object({}), callbackKeys),
  issuer: contract('issuer.callback-key.list', z.object({}), callbackKeys),
} as const;
