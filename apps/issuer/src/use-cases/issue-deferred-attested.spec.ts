import { sha256 } from '@vestibule/crypto';
import { DomainError } from '@vestibule/foundation';
import { OAuthError } from '@vestibule/oauth';
import { openForHolders, TOKEN, type OpenEndpoint } from '../testing/credential-endpoint.fixture-spec';
import { ISSUER_URL, NOW, TYPE_ID, TYPES } from '../testing/issuer.fixture-spec';
import { issuingOver } from '../testing/running-issuer.fixture-spec';
import { credentialProof, type WalletKey } from '../testing/wallet.fixture-spec';

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
function endpoint(state: 'waiting' | 'ready', found: () => Promise<void>) {
  const judged: unknown[] = [];
  const keys = holders.map(({ jwk: { x, y } }) => ({ kty: 'EC', crv: 'P-256', x, y })) as never;
  const deferral = { state, transaction: { digest: sha256(ID), keys, statuses: [{ ...status, acceptedAt }] } };
  const checkStatus = (about: unknown) => (judged.push(about), found());
  const all = open({ grant: { deferral }, deps: { checkStatus } });
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

  it('VCI:K14 can be asked for again if their status cannot be looked up now', async () => {
    const unavailable = new DomainError({ kind: 'unavailable', code: 'attestation_status_unavailable', detail: 'x' });
    const { ask, asked, events } = endpoint('ready', () => Promise.reject(unavailable));
    await expect(ask()).rejects.toBe(unavailable);
    expect([asked, events]).toEqual([['token', 'proof'], []]);
  });
});
