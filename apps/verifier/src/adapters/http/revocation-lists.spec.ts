/** @jest-environment ./tools/jest-context-environment.cjs */
import {
  createCertificateAuthority,
  createRevocationList,
  crlDistributionPoints,
  type Authority,
} from '@vestibule/dev-pki';
import { createEgress, type EgressResponse } from '@vestibule/egress';
import { ProcessingFailure, VerificationFailure } from '@vestibule/foundation';
import { parseCertificate, verifyChain, type VerifiedChain } from '@vestibule/x509-trust';
import { fakeEgress, jsonAnswer } from '../../testing/published-issuer.fixture-spec';
import { at, failsWith, NOW } from '../../testing/verifier.fixture-spec';
import { RevocationLists, type RevocationListsOptions } from './revocation-lists';

const URIS = ['http://crl.example/1.crl', 'https://mirror.example/1.crl', 'https://third.example/1.crl'];
let root: Authority;
let chain: VerifiedChain;
let withoutSource: VerifiedChain;

const verified = (leaf: Buffer, anchored = true) => {
  const anchor = { certificate: parseCertificate(root.certificate), purposes: ['credential'] as const };
  return verifyChain([parseCertificate(leaf)], anchored ? [anchor] : [], { now: NOW, purpose: 'credential' });
};

beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now: NOW });
  const extensions = [crlDistributionPoints(...URIS)];
  chain = verified((await root.issue({ name: 'Issuer', extensions })).certificate);
  withoutSource = verified((await root.issue({ name: 'Issuer' })).certificate);
});

const stranger = () => createCertificateAuthority({ name: 'Root', now: NOW });

interface ListOptions {
  readonly revoked?: boolean;
  readonly signer?: Authority;
  readonly thisUpdate?: Date;
  readonly nextUpdate?: Date;
}

const listOf = ({ revoked = false, signer = root, ...times }: ListOptions = {}): Promise<Buffer> => {
  const named = revoked ? [{ certificate: chain.leaf.der }] : [];
  return createRevocationList(signer, { revoked: named, thisUpdate: at(-60), nextUpdate: at(86_400), ...times });
};

const served = (body: Buffer, status = 200): EgressResponse => ({ ...jsonAnswer({}), body, status });
const DOWN = () => Promise.reject(new ProcessingFailure('egress_timeout', 'not in time'));

function open(
  respond: (url: string) => EgressResponse | Promise<EgressResponse>,
  mode: RevocationListsOptions['mode'] = 'hard-fail',
) {
  const { egress, fetches } = fakeEgress(respond);
  const time = { now: NOW };
  const lists = new RevocationLists({ egress, clock: () => time.now, mode });
  return { time, fetches, urls: () => fetches.map(({ url }) => url), check: (of = chain) => lists.check(of, time.now) };
}

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
    ['that is none', () => served(Buffer.from('<html>'))],
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

  it('VP:N11 that is none proves nothing, even with soft-fail', async () => {
    const { check } = open(() => served(Buffer.from('<html>')), 'soft-fail');
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
    await check(withoutSource);
    await check(verified(chain.leaf.der, false));
    expect(fetches).toEqual([]);
  });

  it('VP:N11 VP:Q5 is not fetched from a private address by the real egress, http or not', async () => {
    const extensions = [crlDistributionPoints('http://127.0.0.1/1.crl', 'http://10.0.0.1/')];
    const { certificate } = await root.issue({ name: 'Issuer', extensions });
    const egress = createEgress({ allowDevelopmentHosts: [] });
    const lists = new RevocationLists({ egress, clock: () => NOW, mode: 'hard-fail' });
    await expect(lists.check(verified(certificate), NOW)).rejects.toEqual(failsWith('crl_unavailable'));
    await egress.close();
  });
});

describe('a revocation list that was seen, and has not ended,', () => {
  const HOUR = 3_600;
  const MODES = ['hard-fail', 'soft-fail'] as const;
  const BROKEN = () => served(Buffer.from('<html>'));

  /** Lists that are served in this order at every address; then what comes instead. */
  const inOrder = ([...left]: Buffer[], mode: (typeof MODES)[number], then: typeof DOWN | typeof BROKEN = DOWN) =>
    open(() => {
      const next = left.shift();
      return next ? served(next) : then();
    }, mode);

  it.each(MODES)('VP:N11 still fails a certificate that it names while no list is available: %s', async (mode) => {
    const { check, time } = inOrder([await listOf({ revoked: true })], mode);
    await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
    for (const hours of [1, 2, 23]) {
      time.now = at(hours * HOUR);
      await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
    }
  });

  it.each([DOWN, BROKEN])('VP:N11 still lets the others pass, whatever comes instead of a list', async (then) => {
    const { check, time } = inOrder([await listOf()], 'hard-fail', then);
    await check();
    time.now = at(23 * HOUR);
    await check();
  });

  it('VP:N11 counts until its next update and no longer', async () => {
    const { check, time } = inOrder([await listOf({ nextUpdate: at(2 * HOUR) })], 'hard-fail');
    await check();
    time.now = at(2 * HOUR - 1);
    await check();
    time.now = at(2 * HOUR + 1);
    await expect(check()).rejects.toEqual(failsWith('crl_unavailable'));
  });

  it('VP:N11 spares its host: an address that failed is asked again after a minute', async () => {
    const uptime = jest.spyOn(performance, 'now').mockReturnValue(0);
    const { check, urls, time } = inOrder([await listOf()], 'hard-fail');
    await check();
    time.now = at(HOUR);
    await check();
    await check();
    expect(urls()).toEqual([URIS[0], URIS[0], URIS[1]]);
    uptime.mockReturnValue(60_001);
    await check();
    await check();
    expect(urls().slice(3)).toEqual([URIS[0], URIS[1]]);
    uptime.mockRestore();
  });

  it.each([DOWN, BROKEN])('VP:N11 hides no newer one at the second address while the first has none', async (then) => {
    const [older, newer] = [await listOf(), await listOf({ revoked: true, thisUpdate: at(0) })];
    let isBack = true;
    const { check, time, urls } = open((url) => {
      if (url !== URIS[0]) return served(newer);
      return isBack ? served(older) : then();
    });
    await check();
    isBack = false;
    time.now = at(HOUR);
    await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
    await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
    expect(urls()).toEqual([URIS[0], URIS[0], URIS[1]]);
  });

  it('VP:N11 shares the time of one address between two that hang', async () => {
    const lists = [served(await listOf())];
    const { check, time, urls } = open(() => lists.shift() ?? new Promise<EgressResponse>(() => undefined));
    await check();
    time.now = at(HOUR);
    jest.useFakeTimers({ doNotFake: ['performance', 'Date', 'nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      const checked = check();
      await jest.advanceTimersByTimeAsync(4_000);
      await checked;
    } finally {
      jest.useRealTimers();
    }
    expect(urls()).toEqual([URIS[0], URIS[0], URIS[1]]);
  });

  it.each(MODES)('VP:N11 is not replaced by an older one: %s', async (mode) => {
    const older = await listOf({ thisUpdate: at(-120) });
    const { check, time } = inOrder([await listOf({ revoked: true }), older, older, older], mode);
    await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
    for (const hours of [1, 2]) {
      time.now = at(hours * HOUR);
      await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
    }
  });

  it('VP:N11 makes an older one unavailable even after it has ended itself', async () => {
    const older = await listOf({ thisUpdate: at(-120) });
    const { check, time } = inOrder([await listOf({ nextUpdate: at(600) }), older, older], 'hard-fail');
    await check();
    time.now = at(601);
    await expect(check()).rejects.toEqual(failsWith('crl_unavailable'));
  });

  it('VP:N11 of a clock that was ahead does not keep out the right one once that is set back', async () => {
    const ahead = await listOf({ thisUpdate: at(23 * HOUR), nextUpdate: at(24 * HOUR) });
    const { check, time } = inOrder([ahead, await listOf({ revoked: true })], 'hard-fail');
    const uptime = jest.spyOn(performance, 'now').mockReturnValue(0);
    time.now = at(24 * HOUR - 1);
    await check();
    time.now = NOW;
    uptime.mockReturnValue(1_001);
    await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
    uptime.mockRestore();
  });

  it('VP:N11 gives way to one of the same time, and to a newer one', async () => {
    const newer = await listOf({ revoked: true, thisUpdate: at(0) });
    const { check, time } = inOrder([await listOf(), await listOf(), newer], 'hard-fail');
    await check();
    time.now = at(HOUR);
    await check();
    time.now = at(2 * HOUR);
    await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
  });
});
