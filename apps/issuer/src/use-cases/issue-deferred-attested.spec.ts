import { sha256, sha256Base64url } from '@vestibule/crypto';
import { DomainError } from '@vestibule/foundation';
import { OAuthError } from '@vestibule/oauth';
import { statusFailure } from '@vestibule/status-list';
import {
  INTERVAL_SECONDS,
  newNonce,
  OFFER_ID,
  openForHolders,
  TOKEN,
  type OpenEndpoint,
} from '../testing/credential-endpoint.fixture-spec';
import { CLIENT_ID } from '../testing/attestation.fixture-spec';
import { ISSUER_URL, NOW, TYPE_ID, TYPES } from '../testing/issuer.fixture-spec';
import type { Grant } from '../domain/issuance';
import { issuingOver, type EndpointDeps } from '../testing/running-issuer.fixture-spec';
import { credentialProof, keyProof, type WalletKey } from '../testing/wallet.fixture-spec';
import type { AttestedStatus } from './check-attestation-status';

let open: OpenEndpoint;
let holders: WalletKey[];
beforeAll(async () => {
  ({ open, holders } = await openForHolders(1));
});

const ID = 'the-transaction';
const URL = `${ISSUER_URL}/oidc4vci/deferred_credential`;
const error = 'credential_request_denied';
const acceptedAt = new Date(NOW.getTime() - 1_000);
const status = { header: { kid: 'provider' }, own: 'its own', maintained: 'that of the storage' };

/** A wallet that fetches a credential for keys whose attestation has a status, which is looked up with this result. */
function endpoint(
  state: 'waiting' | 'ready',
  found: () => Promise<void>,
  more: Partial<EndpointDeps> = {},
  grant: Partial<Grant> = {},
) {
  const judged: unknown[] = [];
  const keys = holders.map(({ jwk: { x, y } }) => ({ kty: 'EC', crv: 'P-256', x, y })) as never;
  const deferral = { state, transaction: { digest: sha256(ID), keys, statuses: [{ ...status, acceptedAt }] } };
  const checkStatus = (about: unknown) => (judged.push(about), found());
  const all = open({ grant: { deferral, ...grant }, deps: { checkStatus, ...more } });
  const ask = async () =>
    issuingOver(all.deps).issueDeferredCredential({
      authorization: [`DPoP ${TOKEN}`],
      dpop: [await credentialProof(all.dpopKey, TOKEN, { htu: URL })],
      body: { transaction_id: ID },
    });
  return { ...all, judged, ask };
}

const valid = () => Promise.resolve();
const revoked = () => Promise.reject(new OAuthError(error, 'attestation_not_valid'));

describe('a deferred credential for attested keys', () => {
  it('VCI:K14 VCI:F4 is denied, and the offer stays open, if they were revoked while the wallet waited', async () => {
    const { ask, asked, events, judged } = endpoint('ready', revoked);
    await expect(ask()).rejects.toEqual(expect.objectContaining({ code: error, reason: 'attestation_not_valid' }));
    const about = { type: TYPES.get(TYPE_ID), now: NOW, isDeferred: false, error };
    expect(judged).toEqual([{ kind: 'key', status, acceptedAt, ...about }]);
    expect([asked, events]).toEqual([['token', 'proof'], []]);
  });

  it('VCI:K14 VCI:F3 is given if they are still valid', async () => {
    const { ask, judged } = endpoint('ready', valid);
    expect(await ask()).toHaveProperty('credentials');
    expect(judged).toHaveLength(1);
  });

  it('VCI:K14 VCI:F3 stays promised, and nothing is looked up, as long as the claims are to come', async () => {
    const { ask, judged } = endpoint('waiting', revoked);
    expect(await ask()).toHaveProperty('transaction_id', ID);
    expect(judged).toEqual([]);
  });

  it.each<[string, Error]>([
    ['unreachable', new DomainError({ kind: 'unavailable', code: 'attestation_status_unavailable', detail: 'x' })],
    ['not where it was', new OAuthError(error, 'attestation_status_unreadable')],
    ['too old', new OAuthError(error, statusFailure('status_token_expired'))],
    ['signed by a stranger', new OAuthError(error, statusFailure('status_token_signer_not_trusted'))],
  ])('VCI:K14 VCI:F3 stays promised while the status list is %s, which is no final answer', async (_what, failure) => {
    const { ask, asked, events, unserved, postponed } = endpoint('ready', () => Promise.reject(failure));
    expect(await ask()).toEqual({ transaction_id: ID, interval: INTERVAL_SECONDS });
    expect([asked, events, postponed]).toEqual([['token', 'proof'], [], [failure]]);
    expect(unserved).toEqual([{ by: 'token_digest', name: sha256Base64url(TOKEN), millisecondsAgo: 0 }]);
  });

  it('VCI:K14 VCI:F3 stays promised while they are suspended: their wallet was served', async () => {
    const suspended = new OAuthError(error, 'attestation_suspended');
    const { ask, unserved, postponed } = endpoint('ready', () => Promise.reject(suspended));
    expect(await ask()).toHaveProperty('transaction_id', ID);
    expect([unserved, postponed]).toEqual([[], [suspended]]);
  });

  it.each(['attestation_status_short', 'attestation_status_missing', 'attestation_required'] as const)(
    'VCI:K14 VCI:F4 is denied for %s: no later look finds anything else',
    async (reason) => {
      const { ask, postponed } = endpoint('ready', () => Promise.reject(new OAuthError(error, reason)));
      await expect(ask()).rejects.toEqual(expect.objectContaining({ code: error, reason }));
      expect(postponed).toEqual([]);
    },
  );

  it('fails if the look-up itself fails', async () => {
    const { ask, postponed } = endpoint('ready', () => Promise.reject(new TypeError('a fault of this program')));
    await expect(ask()).rejects.toBeInstanceOf(TypeError);
    expect(postponed).toEqual([]);
  });

  it('VCI:F3 stays promised while the device with the signing key is away, which is marked', async () => {
    const away = new DomainError({ kind: 'unavailable', code: 'signer_unavailable', detail: 'away' });
    const unsigned: string[] = [];
    const { ask, asked, events, unserved, postponed } = endpoint('ready', valid, {
      signerAt: () => {
        throw away;
      },
      markUnsigned: async (offerId) => void unsigned.push(offerId),
    });
    expect(await ask()).toEqual({ transaction_id: ID, interval: INTERVAL_SECONDS });
    expect([asked, events, unserved, postponed, unsigned]).toEqual([['token', 'proof'], [], [], [away], [OFFER_ID]]);
  });

  it.each<[string, Partial<EndpointDeps>, Partial<Grant>]>([
    ['credential_type_missing', { types: new Map() }, {}],
    ['credential_type_changed', {}, { claims: { canary_of_before: 'secret' } }],
  ])('VCI:F3 stays promised where its type is another one, and the wallet is marked: %s', async (code, deps, grant) => {
    const { ask, events, unserved, postponed } = endpoint('ready', valid, deps, grant);
    expect(await ask()).toEqual({ transaction_id: ID, interval: INTERVAL_SECONDS });
    expect([events, unserved.length]).toEqual([[], 1]);
    expect(postponed).toEqual([expect.objectContaining({ code })]);
  });
});

describe('the wallet that authenticated with its code, at a later step', () => {
  const walletStatus = { ...status, header: { kid: 'of the wallet' }, acceptedAt };
  /** One that was revoked meanwhile asks for the credential, or for the deferred one; gives what happens. */
  function revokedWallet(state?: 'waiting' | 'ready') {
    const looked: AttestedStatus[] = [];
    const checkStatus = (about: AttestedStatus) => {
      looked.push(about);
      return about.kind === 'wallet' ? revoked() : valid();
    };
    const clientId = CLIENT_ID;
    const deferral = state && { state };
    return {
      looked,
      ...open({ grant: { clientId, walletStatus, ...(deferral ? { deferral } : {}) }, deps: { checkStatus } }),
    };
  }

  it.each([undefined, 'waiting', 'ready'] as const)(
    'VCI:C15 gets no credential and no promise of one if it was revoked since, and spends no nonce: deferral %s',
    async (state) => {
      const { send, holder, proofs, looked, events, nonces, promises } = revokedWallet(state);
      const proved = await proofs(keyProof(holder, newNonce(), { iss: CLIENT_ID }));
      await expect(send({ proofs: proved })).rejects.toEqual(
        expect.objectContaining({ code: error, reason: 'attestation_not_valid' }),
      );
      const about = { type: TYPES.get(TYPE_ID), now: NOW, isDeferred: false, error, acceptedAt };
      expect(looked).toEqual([{ kind: 'wallet', status: { ...status, header: walletStatus.header }, ...about }]);
      expect([events, nonces, promises]).toEqual([[], [], []]);
    },
  );

  it('VCI:C15 VCI:F4 gets no deferred credential if it was revoked while it waited, and the offer stays open', async () => {
    const looked: string[] = [];
    const { ask, events } = endpoint('ready', valid, {}, { walletStatus, clientId: 'wallet' });
    expect(await ask()).toHaveProperty('credentials');
    expect(events).toHaveLength(1);
    const checkStatus = ({ kind }: AttestedStatus) => (looked.push(kind), revoked());
    const later = endpoint('ready', valid, { checkStatus }, { walletStatus, clientId: 'wallet' });
    await expect(later.ask()).rejects.toEqual(expect.objectContaining({ code: error }));
    expect([looked, later.events]).toEqual([['wallet'], []]);
  });
});
