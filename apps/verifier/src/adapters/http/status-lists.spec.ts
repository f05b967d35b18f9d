import { createCertificateAuthority } from '@vestibule/dev-pki';
import type { EgressResponse } from '@vestibule/egress';
import { ProcessingFailure, VerificationFailure } from '@vestibule/foundation';
import type { VerifiedPresentation } from '@vestibule/oid4vp';
import { STATUS_LIST_MEDIA_TYPE } from '@vestibule/status-list';
import { until } from '@vestibule/testkit';
import { createChainVerifier, parseX5c } from '@vestibule/x509-trust';
import { answer, egressFailure, statusListsOf, type TokenOptions } from '../../testing/status-lists.fixture-spec';
import { at, base64, createWorld, failsWith, NOW, STATUS, type World } from '../../testing/verifier.fixture-spec';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

const { tokenOf, credential, open, otherIssuer } = statusListsOf(() => world);

const serving = async (options: TokenOptions = {}, more: Partial<EgressResponse> = {}) => {
  const response = answer(await tokenOf(options), more);
  return open(() => Promise.resolve(response));
};

describe('the status of a credential', () => {
  it('VP:O3 VP:O11 passes where its list calls it valid; the list is asked for by its media type', async () => {
    const { check, fetches } = await serving({ entries: [{ idx: STATUS.idx + 1, status: 1 }] });
    await check();
    expect(fetches).toEqual([
      { uri: STATUS.uri, options: expect.objectContaining({ accept: STATUS_LIST_MEDIA_TYPE }) as unknown },
    ]);
  });

  it('VP:O1 of a credential without one passes without any fetch', async () => {
    const { check, fetches } = await serving();
    await check(credential(null));
    expect(fetches).toEqual([]);
  });

  it.each([
    ['VP:O13 revoked', 1, 'credential_revoked'],
    ['VP:O13 VP:D10 suspended', 2, 'credential_suspended'],
    ['VP:O13 VP:D10 unknown', 3, 'credential_status_unknown'],
  ])('%s fails', async (_title, status, code) => {
    const { check } = await serving({ entries: [{ idx: STATUS.idx, status }] });
    await expect(check()).rejects.toEqual(failsWith(code));
  });

  it('VP:O12 beyond the end of its list fails', async () => {
    const { check } = await serving();
    await expect(check(credential({ ...STATUS, idx: 64 }))).rejects.toEqual(failsWith('status_index_out_of_range'));
  });
});

describe('a list that says nothing about a credential', () => {
  it('VP:O6 one of another authority below the same anchor fails (sl:sl-other-issuer-under-anchor)', async () => {
    const { check } = await serving({ signer: await otherIssuer() });
    await expect(check()).rejects.toEqual(failsWith('status_signer_not_authorised'));
  });

  it('VP:O5 one of an authority that nobody trusts fails', async () => {
    const foreign = await createCertificateAuthority({ name: 'Foreign', now: NOW });
    const { privateKey, certificate } = await foreign.issue({ name: 'Issuer' });
    const { check } = await serving({ signer: { privateKey, chain: [certificate] } });
    await expect(check()).rejects.toEqual(failsWith('untrusted_issuer'));
  });

  it('VP:O5 one of an issuer that nobody vouches for passes, whoever else is configured for status', async () => {
    const stranger = await (
      await createCertificateAuthority({ name: 'Foreign', now: NOW })
    ).issueAuthority({ name: 'CA' });
    const { privateKey, certificate } = await stranger.issue({ name: 'Issuer' });
    const signer = { privateKey, chain: [certificate, stranger.certificate] };
    const anchors = [
      { certificate: parseX5c([base64(world.pki.root.certificate)])[0]!, purposes: ['status' as const] },
    ];
    const trust = { ...world.trust, chains: createChainVerifier(anchors, { maxEntries: 4 }) };
    const chain = trust.chains.verify(signer.chain.map(base64), { now: NOW, purpose: 'credential' });
    const signedBy = { method: 'certificate', chain, trusted: false };
    const { check } = open(async () => answer(await tokenOf({ signer })), { trust });
    await check({ ...credential(), signedBy } as VerifiedPresentation);
    const enforcing = open(async () => answer(await tokenOf({ signer })), { trust: { ...trust, policy: 'enforce' } });
    const refused = enforcing.check({ ...credential(), signedBy } as VerifiedPresentation);
    await expect(refused).rejects.toEqual(failsWith('untrusted_issuer'));
  });

  it('VP:O7 one of another address fails', async () => {
    const { check } = await serving({ uri: `${STATUS.uri}/` });
    await expect(check()).rejects.toEqual(failsWith('status_token_subject_mismatch'));
  });

  it('VP:O8 one that has expired fails', async () => {
    const { check } = await serving({ issuedAt: at(-7_200) });
    await expect(check()).rejects.toEqual(failsWith('status_token_expired'));
  });

  it('VP:O5 one with another signature fails', async () => {
    const token = await tokenOf();
    const [, payload = ''] = (await tokenOf({ entries: [{ idx: 9, status: 1 }] })).split('.');
    const forged = token.split('.').with(1, payload).join('.');
    const { check } = open(() => Promise.resolve(answer(forged)));
    await expect(check()).rejects.toEqual(failsWith('status_token_signature_invalid'));
  });

  it('VP:O4 something that is no list fails as invalid, not as unavailable', async () => {
    const { check } = open(() => Promise.resolve(answer('<html>')));
    await expect(check()).rejects.toBeInstanceOf(VerificationFailure);
  });

  it('VP:O6 is judged anew for each credential, remembered or not', async () => {
    const { check, fetches } = await serving();
    await check();
    const x5c = (await otherIssuer()).chain.map(base64);
    const chain = world.trust.chains.verify(x5c, { now: NOW, purpose: 'credential' });
    const signedBy = { method: 'certificate', chain } as VerifiedPresentation['signedBy'];
    await expect(check({ ...credential(), signedBy })).rejects.toEqual(failsWith('status_signer_not_authorised'));
    expect(fetches).toHaveLength(1);
  });
});

describe('a list that cannot be had', () => {
  it.each([
    ['VP:D9 an address that does not answer', () => Promise.reject(egressFailure('egress_timeout')), 'egress_timeout'],
    ['VP:O3 a 404', async () => answer(await tokenOf(), { status: 404 }), 'egress_status'],
    ['VP:O3 a 500', async () => answer('', { status: 500 }), 'egress_status'],
    [
      'VP:O3 another media type',
      async () => answer(await tokenOf(), { contentType: 'text/html' }),
      'egress_content_type',
    ],
    ['VP:O3 no media type', async () => answer(await tokenOf(), { contentType: undefined }), 'egress_content_type'],
  ])('%s is unavailable, and nothing is assumed', async (_title, respond, code) => {
    const { check } = open(respond);
    const error: unknown = await check().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProcessingFailure);
    expect(error).toMatchObject({ code, kind: 'unavailable' });
    expect(JSON.stringify([error, (error as Error).message])).not.toContain('issuer.example');
  });

  it('VP:D9 is tried again within the deadline, and at the next check', async () => {
    const token = await tokenOf();
    let down = true;
    const { check, fetches } = open(() =>
      down ? Promise.reject(egressFailure('egress_failed')) : Promise.resolve(answer(token)),
    );
    await expect(check()).rejects.toEqual(failsWith('egress_failed'));
    expect(fetches).toHaveLength(3);
    down = false;
    await check();
    expect(fetches).toHaveLength(4);
  });

  it('VP:O17 a list that failed to verify is not remembered either', async () => {
    const tokens = ['garbage', await tokenOf()];
    const { check } = open(() => Promise.resolve(answer(tokens.shift() ?? '')));
    await expect(check()).rejects.toBeInstanceOf(VerificationFailure);
    await check();
  });
});

describe('a list that was fetched', () => {
  it('VP:O19 is fetched once for checks at the same time', async () => {
    const token = await tokenOf({ entries: [{ idx: 5, status: 1 }] });
    let fetched: (response: EgressResponse) => void = () => undefined;
    const { check, fetches } = open(() => new Promise((resolve) => (fetched = resolve)));
    const indexes = Array.from({ length: 50 }, (_item, index) => index % 10);
    const checks = Promise.allSettled(indexes.map((idx) => check(credential({ ...STATUS, idx }))));
    await until(() => fetches.length > 0);
    fetched(answer(token));
    const results = await checks;
    expect(fetches).toHaveLength(1);
    expect(results.map(({ status }) => status)).toEqual(indexes.map((idx) => (idx === 5 ? 'rejected' : 'fulfilled')));
  });

  it('VP:O16 is used until its ttl is over, then fetched anew', async () => {
    const { check, fetches, time } = await serving({ ttlSeconds: 300 });
    await check();
    time.now = at(299);
    await check();
    expect(fetches).toHaveLength(1);
    time.now = at(301);
    await check();
    expect(fetches).toHaveLength(2);
  });

  it('VP:O16 VP:D15 is not used for longer than an hour, whatever it says (sl:sl-ttl-huge)', async () => {
    const { check, fetches, time } = await serving({ ttlSeconds: 1e9, issuedAt: at(60) });
    await check();
    time.now = at(3_601);
    await check();
    expect(fetches).toHaveLength(2);
  });

  it('VP:O17 is not prolonged by a fetch that fails', async () => {
    const token = await tokenOf({ ttlSeconds: 300 });
    let down = false;
    const { check, time } = open(() =>
      down ? Promise.reject(egressFailure('egress_failed')) : Promise.resolve(answer(token)),
    );
    await check();
    [down, time.now] = [true, at(301)];
    await expect(check()).rejects.toEqual(failsWith('egress_failed'));
  });

  it('VP:N6 VP:O16 is fetched anew once its signer’s certificate has ended', async () => {
    const { privateKey, certificate } = await world.pki.intermediate.issue({ name: 'Short', notAfter: at(10) });
    const signer = { privateKey, chain: [certificate, world.pki.intermediate.certificate] };
    const tokens = [await tokenOf({ signer }), await tokenOf({ signer }), await tokenOf()];
    const { check, fetches, time } = open(() => Promise.resolve(answer(tokens.shift() ?? '')));
    await check();
    time.now = at(11);
    await expect(check()).rejects.toEqual(failsWith('status_token_signer_not_trusted'));
    await check();
    expect(fetches).toHaveLength(3);
  });

  it('VP:N12 needs an anchor for status lists where the policy enforces', async () => {
    const [certificate] = parseX5c([base64(world.pki.root.certificate)]);
    const anchors = certificate ? [{ certificate, purposes: ['credential'] as const }] : [];
    const trust = {
      ...world.trust,
      policy: 'enforce' as const,
      chains: createChainVerifier(anchors, { maxEntries: 2 }),
    };
    const token = await tokenOf();
    const { check } = open(() => Promise.resolve(answer(token)), { trust });
    await expect(check()).rejects.toEqual(failsWith('untrusted_issuer'));
  });
});

describe('a list that its host corrects', () => {
  /** The host serves the first list until it is told to serve the next one. */
  const correcting = async (wrong: TokenOptions, right: TokenOptions = {}) => {
    const [token, next] = [await tokenOf(wrong), await tokenOf(right)];
    let isCorrected = false;
    const lists = open(() => Promise.resolve(answer(isCorrected ? next : token)));
    return { ...lists, correct: () => void (isCorrected = true) };
  };

  it('VP:O6 is fetched anew if somebody signed it who may not, before its ttl is over', async () => {
    const { check, fetches, time, correct } = await correcting({ signer: await otherIssuer() });
    await expect(check()).rejects.toEqual(failsWith('status_signer_not_authorised'));
    correct();
    time.now = at(10);
    await Promise.all([check(), check(), check()]);
    await check();
    expect(fetches).toHaveLength(2);
  });

  it('VP:O12 is fetched anew if it ends before the credential, because it has grown', async () => {
    const issued = credential({ ...STATUS, idx: 64 });
    const { check, fetches, time, correct } = await correcting({}, { size: 128 });
    await check();
    correct();
    time.now = at(10);
    await check(issued);
    expect(fetches).toHaveLength(2);
  });

  it('is fetched anew at most once in ten seconds, however many credentials name it', async () => {
    const { check, fetches, time } = await correcting({ signer: await otherIssuer() });
    const codes = async () => {
      const ends = await Promise.allSettled(Array.from({ length: 10 }, () => check()));
      return new Set(
        ends.map((end) => (end.status === 'rejected' ? (end.reason as Error & { code: string }).code : '')),
      );
    };
    for (const [seconds, fetched] of [
      [0, 1],
      [9, 1],
      [10, 2],
      [19, 2],
      [20, 3],
    ] as const) {
      time.now = at(seconds);
      expect(await codes()).toEqual(new Set(['status_signer_not_authorised']));
      expect(fetches).toHaveLength(fetched);
    }
  });

  it('VP:O13 is not fetched anew because it calls a credential revoked', async () => {
    const { check, fetches, time } = await serving({ entries: [{ idx: STATUS.idx, status: 1 }] });
    await expect(check()).rejects.toEqual(failsWith('credential_revoked'));
    time.now = at(100);
    await expect(check()).rejects.toEqual(failsWith('credential_revoked'));
    expect(fetches).toHaveLength(1);
  });

  it('VP:O17 fails for the same reason as before while its host is away, which is asked as seldom', async () => {
    const token = await tokenOf({ signer: await otherIssuer() });
    let down = false;
    const { check, fetches, time } = open(() =>
      down ? Promise.reject(egressFailure('egress_failed')) : Promise.resolve(answer(token)),
    );
    await expect(check()).rejects.toEqual(failsWith('status_signer_not_authorised'));
    [down, time.now] = [true, at(10)];
    await expect(check()).rejects.toEqual(failsWith('status_signer_not_authorised'));
    await expect(check()).rejects.toEqual(failsWith('status_signer_not_authorised'));
    expect(fetches).toHaveLength(2);
  });
});
