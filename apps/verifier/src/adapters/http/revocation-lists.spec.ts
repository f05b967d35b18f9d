import { createCertificateAuthority, crlDistributionPoints } from '@vestibule/dev-pki';
import { createEgress, type EgressResponse } from '@vestibule/egress';
import { ProcessingFailure, VerificationFailure } from '@vestibule/foundation';
import { BROKEN, DOWN, served, URIS, useListedChain } from '../../testing/revocation-lists.fixture-spec';
import { at, failsWith, NOW } from '../../testing/verifier.fixture-spec';
import { RevocationLists } from './revocation-lists';

const { pki, listOf, open } = useListedChain();
/** An issuing distribution point (RFC 5280 §5.2.5): a list of authorities only, as another list of the same signer. */
const OTHER_SCOPE = [{ oid: '2.5.29.28', critical: true, value: Buffer.from('30038201ff', 'hex') }];
const stranger = () => createCertificateAuthority({ name: 'Root', now: NOW });

describe('the revocation list of a certificate', () => {
  it('VP:N11 lets a certificate pass that it does not name; http is good enough for a signed list', async () => {
    const list = await listOf();
    const { check, fetches } = open(() => served(list));
    await check();
    expect(fetches).toEqual([
      { url: URIS[0], options: expect.objectContaining({ allowHttp: true, maxBytes: 5_242_880 }) as unknown },
    ]);
  });

  it.each(['hard-fail', 'soft-fail'] as const)('VP:N11 fails a certificate that it names: %s', async (mode) => {
    const list = await listOf({ revoked: true });
    const error: unknown = await open(() => served(list), mode)
      .check()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(VerificationFailure);
    expect(error).toEqual(failsWith('certificate_revoked'));
  });

  it('VP:N11 is fetched once for checks at the same time, and anew after its time or an hour', async () => {
    const list = await listOf({ nextUpdate: at(600) });
    const { check, fetches, time } = open(() => served(list));
    await Promise.all(Array.from({ length: 20 }, () => check()));
    time.now = at(599);
    await check();
    expect(fetches).toHaveLength(1);
    time.now = at(601);
    await expect(check()).rejects.toEqual(failsWith('crl_expired'));
    expect(fetches).toHaveLength(3);
    const long = await listOf();
    const second = open(() => served(long));
    await second.check();
    second.time.now = at(3_600);
    await second.check();
    expect(second.fetches).toHaveLength(2);
  });

  it('VP:N11 of somebody else proves nothing, and is not remembered', async () => {
    const signer = await createCertificateAuthority({ name: 'Root', now: NOW });
    const lists = [await listOf({ signer }), await listOf({ signer }), await listOf()];
    const { check } = open(() => served(lists.shift() ?? Buffer.alloc(0)));
    await expect(check()).rejects.toEqual(failsWith('crl_invalid'));
    await check();
  });

  it.each<[string, (revoked: boolean) => EgressResponse | Promise<EgressResponse>]>([
    ['of somebody else', async (revoked) => served(await listOf({ revoked, signer: await stranger() }))],
    ['that is none', BROKEN],
    ['of other certificates', async () => served(await listOf({ thisUpdate: at(0), extensions: OTHER_SCOPE }))],
    ['that has ended', async (revoked) => served(await listOf({ revoked, nextUpdate: at(-1) }))],
  ])('VP:N11 %s at one address does not hide the right one at the next', async (_title, wrong) => {
    for (const revoked of [false, true]) {
      const [right, other] = [served(await listOf({ revoked })), await wrong(!revoked)];
      const { check, urls } = open((url) => (url === URIS[0] ? other : right));
      const result = check().then(
        () => 'passes',
        (error: { code?: string }) => error.code,
      );
      expect(await result).toBe(revoked ? 'certificate_revoked' : 'passes');
      expect(urls()).toEqual(URIS.slice(0, 2));
    }
  });

  it.each(['hard-fail', 'soft-fail'] as const)(
    'VP:N11 of somebody else fails beside a host that is away: %s',
    async (mode) => {
      const other = served(await listOf({ signer: await stranger() }));
      const { check } = open((url) => (url === URIS[0] ? other : DOWN()), mode);
      await expect(check()).rejects.toEqual(failsWith('crl_invalid'));
    },
  );

  it('VP:N11 of other certificates, which anyone on the way can send, is not remembered', async () => {
    const other = await listOf({ thisUpdate: at(0), extensions: OTHER_SCOPE });
    const lists = [other, other, await listOf()];
    const { check } = open(() => served(lists.shift() ?? Buffer.alloc(0)));
    await expect(check()).rejects.toEqual(failsWith('crl_scope_mismatch'));
    await check();
  });

  it('VP:N11 that is issued while it is looked up is not from the future', async () => {
    const list = await listOf({ revoked: true, thisUpdate: at(1) });
    const world = open(() => {
      world.time.now = at(1);
      return served(list);
    });
    await expect(world.check()).rejects.toEqual(failsWith('certificate_revoked'));
  });

  it('VP:N11 that is none proves nothing, even with soft-fail', async () => {
    const { check } = open(BROKEN, 'soft-fail');
    await expect(check()).rejects.toEqual(failsWith('crl_malformed'));
  });
});

describe('a revocation list that cannot be had', () => {
  it.each<[string, () => EgressResponse | Promise<EgressResponse>]>([
    ['does not answer', DOWN],
    ['answers with an error', () => served(Buffer.alloc(0), 503)],
  ])('VP:N11 is looked for at a second address, then fails hard: a host that %s', async (_title, respond) => {
    const { check, urls } = open(respond);
    const error: unknown = await check().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProcessingFailure);
    expect(error).toEqual(failsWith('crl_unavailable'));
    expect(urls()).toEqual(URIS.slice(0, 2));
  });

  it('VP:N11 is found at the second address', async () => {
    const list = await listOf({ revoked: true });
    const { check } = open((url) => (url === URIS[1] ? served(list) : DOWN()));
    await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
  });

  it('VP:N11 lets a certificate pass with soft-fail', async () => {
    const { check, fetches } = open(DOWN, 'soft-fail');
    await check();
    expect(fetches).toHaveLength(2);
  });

  it('VP:N11 is not looked for where a certificate names none, or nobody vouches for the chain', async () => {
    const { check, fetches } = open(DOWN);
    await check(pki().verified([(await pki().root.issue({ name: 'Issuer' })).certificate]));
    await check(pki().verified([pki().chain.leaf.der], false));
    expect(fetches).toEqual([]);
  });

  it('VP:N11 VP:Q5 is not fetched from a private address by the real egress, http or not', async () => {
    const extensions = [crlDistributionPoints('http://127.0.0.1/1.crl', 'http://10.0.0.1/')];
    const { certificate } = await pki().root.issue({ name: 'Issuer', extensions });
    const egress = createEgress({ allowDevelopmentHosts: [] });
    const lists = new RevocationLists({ egress, clock: () => NOW, mode: 'hard-fail' });
    await expect(lists.check(pki().verified([certificate]))).rejects.toEqual(failsWith('crl_unavailable'));
    await egress.close();
  });
});
