import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { DomainError } from '@vestibule/foundation';
import { OAuthError, type AttesterKeys } from '@vestibule/oauth';
import { statusFailure } from '@vestibule/status-list';
import type { IssuableType } from '../domain/credential-offer';
import { NOW, TYPE_ID, TYPES } from '../testing/issuer.fixture-spec';
import type { AttestedStatus } from './check-attestation-status';
import { confirmAttestations, requireConfirmed, type EarlierAttestations } from './confirm-attestations';

const error = 'credential_request_denied';
const acceptedAt = new Date(NOW.getTime() - 600_000);
const known = (kid: string) => ({ header: { kid }, own: 'its own', maintained: undefined, acceptedAt });
const [wallet, one, two] = [known('wallet'), known('one'), known('two')];
const key = createPublicKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const anybody: AttesterKeys = () => [key];
const nobody: AttesterKeys = () => [];

interface Now {
  readonly wallets?: AttesterKeys | undefined;
  readonly keys?: AttesterKeys | undefined;
  readonly isRequired?: boolean;
  readonly types?: ReadonlyMap<string, IssuableType>;
  readonly found?: (about: AttestedStatus) => Promise<void>;
}

/** Looks at them with the configuration of now. */
function over({ wallets, keys, isRequired = false, types = TYPES, found = async () => undefined }: Now = {}) {
  const looked: AttestedStatus[] = [];
  const confirm = confirmAttestations({
    types,
    checkStatus: async (about) => {
      looked.push(about);
      await found(about);
    },
    clientAuthentication: { required: isRequired, attesterKeys: wallets, challenge: 'off' },
    keyAttesters: keys,
  });
  const grant = { configurationId: TYPE_ID, clientId: 'a wallet', walletStatus: wallet };
  const earlier: EarlierAttestations = { grant, statuses: [one, two], now: NOW };
  return { looked, confirm, earlier };
}

const denied = (reason: string) => expect.objectContaining({ code: error, reason }) as Error;

describe('attestations that were accepted at an earlier step', () => {
  it('VCI:C15 VCI:K14 are looked up again: of the wallet, then of its keys', async () => {
    const { looked, confirm, earlier } = over({ wallets: anybody, keys: anybody });
    expect(await confirm(earlier)).toBeUndefined();
    const about = { type: TYPES.get(TYPE_ID), now: NOW, isDeferred: false, error, acceptedAt };
    const expected = [wallet, one, two].map(({ acceptedAt: _, ...status }) => status);
    expect(looked).toEqual(expected.map((status, at) => ({ kind: at === 0 ? 'wallet' : 'key', status, ...about })));
  });

  it.each(['wallet', 'one', 'two'])('VCI:C15 VCI:K14 deny the credential once they are revoked: %s', async (kid) => {
    const found = ({ status }: AttestedStatus) =>
      status?.header['kid'] === kid
        ? Promise.reject(new OAuthError(error, 'attestation_not_valid'))
        : Promise.resolve();
    const { confirm, earlier } = over({ found });
    await expect(confirm(earlier)).rejects.toEqual(denied('attestation_not_valid'));
  });

  it.each<[string, Now, string]>([
    ['a wallet', { wallets: nobody, keys: anybody }, 'attester_not_trusted'],
    ['keys', { wallets: anybody, keys: nobody }, 'attester_not_trusted'],
    [
      'keys, by a certificate',
      {
        wallets: anybody,
        keys: () => {
          throw statusFailure('status_token_signer_not_trusted');
        },
      },
      'status_token_signer_not_trusted',
    ],
  ])(
    'VCI:C4 EU:K3 wait for a list that names whoever attested %s: it may not be known for now',
    async (_of, more, reason) => {
      const { confirm, earlier } = over(more);
      expect(await confirm(earlier)).toEqual(denied(reason));
      const unavailable = expect.objectContaining({
        kind: 'unavailable',
        code: 'attestation_status_unavailable',
      }) as Error;
      await expect(requireConfirmed(confirm, earlier)).rejects.toEqual(unavailable);
    },
  );

  it('VCI:C4 have their attester judged at the time when they were accepted', async () => {
    const times: Date[] = [];
    const keys: AttesterKeys = (_header, at) => (times.push(at), [key]);
    const { confirm, earlier } = over({ wallets: keys, keys });
    await confirm(earlier);
    const { acceptedAt: _, ...old } = one;
    await confirm({ ...earlier, statuses: [old] });
    expect(times).toEqual([acceptedAt, acceptedAt, acceptedAt, acceptedAt, NOW]);
  });

  it('VCI:C1 deny the credential to a wallet without one where each must have one now', async () => {
    const anonymous = { configurationId: TYPE_ID, clientId: undefined };
    const { confirm, earlier, looked } = over({ isRequired: true });
    await expect(confirm({ ...earlier, grant: anonymous })).rejects.toEqual(denied('attestation_required'));
    expect(looked).toEqual([]);
    expect(await over().confirm({ grant: anonymous, now: NOW })).toBeUndefined();
    const type = { ...(TYPES.get(TYPE_ID) as IssuableType), isPid: true };
    const pid = over({ types: new Map([[TYPE_ID, type]]) });
    await expect(pid.confirm({ grant: anonymous, now: NOW })).rejects.toEqual(denied('attestation_required'));
  });

  it('are not asked of a wallet that had its token from an earlier version', async () => {
    const { confirm, looked } = over({ isRequired: true });
    expect(await confirm({ grant: { configurationId: TYPE_ID, clientId: 'a wallet' }, now: NOW })).toBeUndefined();
    expect(looked).toEqual([]);
  });
});

describe('where the wallet cannot be told to come back', () => {
  const require = (failure: Error) => {
    const { confirm, earlier } = over({ found: () => Promise.reject(failure) });
    return requireConfirmed(confirm, earlier);
  };

  it('what is revoked or suspended is denied', async () => {
    for (const reason of ['attestation_not_valid', 'attestation_suspended'] as const)
      await expect(require(new OAuthError(error, reason))).rejects.toEqual(denied(reason));
  });

  it('what may pass is unavailable, with its reason for the log', async () => {
    const list = new OAuthError(error, statusFailure('status_token_expired'));
    const code = 'attestation_status_unavailable';
    await expect(require(list)).rejects.toMatchObject({ code, reason: 'status_token_expired' });
    const away = new DomainError({ kind: 'unavailable', code, detail: 'x' });
    await expect(require(away)).rejects.toBe(away);
  });

  it('a fault of the program is one', async () => {
    await expect(require(new TypeError('a fault'))).rejects.toBeInstanceOf(TypeError);
  });
});
