/**
 * May a question be asked a second time while the answer to the first is pending?
 * - `read`: yes, it changes nothing.
 * - `key`: yes, with an idempotency key, which makes both the same call; both get the same answer.
 * - `never`: the second would find what the first has used up (a code, a proof, a revision), or the caller decides.
 */
export type Repeat = 'read' | 'key' | 'never';

const READS = [
  ...[
    'issuer.callback.list',
    'issuer.callback-key.list',
    'issuer.credential-offer.get',
    'issuer.credential-offer.list',
    'issuer.document.get',
    'issuer.health.check',
  ],
  ...['issuer.offer-object.get', 'issuer.signed-metadata.get', 'issuer.type-metadata.get'],
  ...[
    'verifier.callback.list',
    'verifier.callback-key.list',
    'verifier.health.check',
    'verifier.presentation-request.get',
  ],
  ...['verifier.presentation-request.list'],
  ...['verifier.presentation.expect', 'verifier.request-object.get'],
  ...['wallet-store.api-key.find', 'wallet-store.claim-values.get', 'wallet-store.credential.get'],
  ...[
    'wallet-store.credential.list',
    'wallet-store.draft.get',
    'wallet-store.draft.search',
    'wallet-store.entity.list',
    'wallet-store.health.check',
  ],
  ...['wallet-store.presentation.get', 'wallet-store.presentation.list', 'wallet-store.published-schema.get'],
  ...['wallet-store.published-schema.search', 'wallet-store.schema.get', 'wallet-store.schema.search'],
  'wallet-store.credential-status.get',
  ...['wallet-store.vc-api.verify-credential', 'wallet-store.vc-api.verify-presentation', 'wallet-store.wallet.list'],
];

const WITH_A_KEY = [
  ...['issuer.credential-offer.create', 'verifier.presentation-request.create', 'wallet-store.credential.import'],
  ...['wallet-store.draft.create', 'wallet-store.entity.create', 'wallet-store.presentation.create'],
  ...['wallet-store.schema.create', 'wallet-store.wallet.create'],
];

const NEVER = [
  // The first uses up a code, a nonce or a proof of possession, even if the wallet would get the same answer again.
  ...[
    'issuer.token.issue',
    'issuer.credential.issue',
    'issuer.deferred-credential.issue',
    'issuer.notification.accept',
  ],
  ...['issuer.nonce.issue', 'issuer.challenge.issue', 'verifier.presentation.submit'],
  // The gateway repeats a report itself, for longer than a question is awaited.
  'issuer.hand-over.report',
  ...['issuer.unserved-wallet.report', 'verifier.unserved-wallet.report'],
  // The second finds an ended offer or request, a changed revision or a draft that is no longer a draft.
  ...['issuer.credential-offer.cancel', 'issuer.credential-offer.change', 'issuer.credential-status.change'],
  ...['verifier.presentation-request.cancel', 'wallet-store.credential-status.change'],
  ...['wallet-store.draft.abandon', 'wallet-store.draft.issue', 'wallet-store.draft.update'],
  ...['wallet-store.presentation.abandon', 'wallet-store.presentation.issue', 'wallet-store.presentation.present'],
  ...['wallet-store.presentation.update', 'wallet-store.schema.publish', 'wallet-store.schema.update'],
  // Those that cost a signature, or count their effect.
  ...['issuer.status-list.get', 'wallet-store.status-list-credential.get', 'wallet-store.vc-api.issue-credential'],
  ...['issuer.callback.retry', 'issuer.callback.drop', 'issuer.callback.replay', 'issuer.callback.test'],
  ...['verifier.callback.retry', 'verifier.callback.drop', 'verifier.callback.replay', 'verifier.callback.test'],
];

const BY_SUBJECT: ReadonlyMap<string, Repeat> = new Map([
  ...READS.map((subject) => [subject, 'read'] as const),
  ...WITH_A_KEY.map((subject) => [subject, 'key'] as const),
  ...NEVER.map((subject) => [subject, 'never'] as const),
]);

/** The declaration for a subject; undefined if there is none. */
export const declaredRepeat = (subject: string): Repeat | undefined => BY_SUBJECT.get(subject);

/** May this question be asked a second time? */
export function mayRepeat(subject: string, question: unknown): boolean {
  const repeat = declaredRepeat(subject);
  if (repeat !== 'key') return repeat === 'read';
  return typeof (question as { readonly idempotencyKey?: unknown } | null)?.idempotencyKey === 'string';
}
