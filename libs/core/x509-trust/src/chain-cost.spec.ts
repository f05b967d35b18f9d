import type * as NodeCrypto from 'node:crypto';
import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { createCertificateAuthority, createPrivateKeyOf, type Authority } from '@vestibule/dev-pki';
import {
  createChainVerifier,
  crowdedNames,
  parseCertificate,
  type ChainContext,
  type ChainVerifier,
  type TrustAnchor,
} from './index';

const signatures = jest.spyOn(jest.requireActual<typeof NodeCrypto>('node:crypto'), 'verify');

const now = new Date('2026-03-01T12:00:00Z');
const credential = { now, purpose: 'credential' } as const;
const demanded: ChainContext = { ...credential, needsAnchor: true };
const encode = (...chain: { certificate: Buffer }[]) => chain.map(({ certificate }) => certificate.toString('base64'));
const P521 = { keyType: 'P-521' } as const;

let root: Authority;
let anchors: TrustAnchor[];
beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  anchors = [{ certificate: parseCertificate(root.certificate), purposes: ['credential', 'status'] }];
});

/** A chain of four, leaf first, below an authority of its own or the given one. */
async function chainOfFour(options: { top?: Authority; topName?: string; key?: () => KeyObject } = {}) {
  const top = options.top ?? (await createCertificateAuthority({ name: 'Somebody', now, ...P521 }));
  const next = (above: Authority, name: string, forged: object = {}) => {
    const key = options.key ? { privateKey: options.key() } : P521;
    return above.issueAuthority({ name, ...key, ...forged });
  };
  const high = await next(top, 'High', options.topName === undefined ? {} : { issuerName: options.topName });
  const middle = await next(high, 'Middle');
  const low = await next(middle, 'Low');
  return [await low.issue({ name: 'Leaf' }), low, middle, high] as const;
}

const verifierOf = (trusted = anchors) => createChainVerifier(trusted, { maxEntries: 100 });

/** How many signatures are checked until the chain is judged, and how that ends. */
function costOf(verifier: ChainVerifier, x5c: readonly string[], context: ChainContext = credential) {
  signatures.mockClear();
  try {
    const { anchor } = verifier.verify(x5c, context);
    return { checks: signatures.mock.calls.length, end: anchor ? 'anchored' : 'unanchored' };
  } catch (error) {
    return { checks: signatures.mock.calls.length, end: (error as { code?: string }).code };
  }
}

describe('signatures that a chain has checked', () => {
  it('are one for each certificate, where an anchor certified it', async () => {
    const chain = encode(...(await chainOfFour({ top: root })));
    expect(costOf(verifierOf(), chain)).toEqual({ checks: 4, end: 'anchored' });
    const leaf = encode(await root.issue({ name: 'Leaf' }));
    expect(costOf(verifierOf(), leaf, demanded)).toEqual({ checks: 1, end: 'anchored' });
  });

  it('are one for each certificate, where nobody did and nobody needs to', async () => {
    const chain = encode(...(await chainOfFour()));
    expect(costOf(verifierOf(), chain)).toEqual({ checks: 4, end: 'unanchored' });
  });

  it('are none but the one that tells a self-signed certificate, where an anchor is needed and nobody is named', async () => {
    const chain = encode(...(await chainOfFour()));
    expect(costOf(verifierOf(), chain, demanded)).toEqual({ checks: 1, end: 'untrusted_issuer' });
  });

  it('are one more where the name of an anchor is forged', async () => {
    const chain = encode(...(await chainOfFour({ topName: 'Root' })));
    expect(costOf(verifierOf(), chain, demanded)).toEqual({ checks: 2, end: 'untrusted_issuer' });
    expect(costOf(verifierOf(), chain)).toEqual({ checks: 5, end: 'unanchored' });
  });

  it('are as few for each of 64 chains as for one', async () => {
    const verifier = verifierOf();
    for (let count = 0; count < 64; count += 1) {
      const chain = encode(...(await chainOfFour({ key: () => createPrivateKeyOf('P-256') })));
      expect(costOf(verifier, chain, demanded)).toEqual({ checks: 1, end: 'untrusted_issuer' });
    }
  });

  it.each([
    ['leads to an anchor', true],
    ['leads to none', false],
  ])('are none for one that %s and was seen before, however long it is', async (_, isAnchored) => {
    const filling = { oid: '1.3.6.1.4.1.55555.1', critical: false, value: randomBytes(15_000) };
    const top = isAnchored ? root : await createCertificateAuthority({ name: 'Somebody', now });
    const low = await top.issueAuthority({ name: 'Low', extensions: [filling] });
    const chain = encode(await low.issue({ name: 'Leaf', extensions: [filling] }), low);
    expect(chain.join().length).toBeGreaterThan(40_000);
    const verifier = verifierOf();
    expect(costOf(verifier, chain).checks).toBe(2);
    for (let count = 0; count < 64; count += 1) {
      expect(costOf(verifier, [...chain], count % 2 ? credential : { now, purpose: 'status' }).checks).toBe(0);
    }
  });

  it('are none for a chain without anchor that was seen before, where an anchor is needed now', async () => {
    const [chain, verifier] = [encode(...(await chainOfFour())), verifierOf()];
    expect(costOf(verifier, chain).end).toBe('unanchored');
    expect(costOf(verifier, chain, demanded)).toEqual({ checks: 0, end: 'untrusted_issuer' });
  });

  it('are all there for a chain that was refused for its anchor before, where none is needed now', async () => {
    const [chain, verifier] = [encode(...(await chainOfFour())), verifierOf()];
    expect(costOf(verifier, chain, demanded).end).toBe('untrusted_issuer');
    expect(costOf(verifier, chain)).toEqual({ checks: 4, end: 'unanchored' });
  });

  it('are none where the certificates stand in another order', async () => {
    const [leaf, low, middle, high] = await chainOfFour({ top: root });
    for (const order of [
      [leaf, middle, low, high],
      [low, leaf, middle, high],
      [high, middle, low, leaf],
    ]) {
      const { checks, end } = costOf(verifierOf(), encode(...order));
      expect(end).toBe('chain_broken');
      expect(checks).toBeLessThanOrEqual(1);
    }
  });

  it('end with the first forged one, from the anchor downwards', async () => {
    const [leaf, low, middle, high] = await chainOfFour({ top: root });
    const other = await root.issueAuthority({ name: 'High', ...P521 });
    expect(costOf(verifierOf(), encode(leaf, low, middle, other))).toEqual({
      checks: 3,
      end: 'chain_signature_invalid',
    });
    const another = await other.issueAuthority({ name: 'Middle', ...P521 });
    expect(costOf(verifierOf(), encode(leaf, low, another, high))).toEqual({
      checks: 3,
      end: 'chain_signature_invalid',
    });
  });

  it('are few with RSA, and none where a key is larger than is allowed', async () => {
    const rsa = () => generateKeyPairSync('rsa', { modulusLength: 4096 }).privateKey;
    const low = await root.issueAuthority({ name: 'Low', privateKey: rsa() });
    expect(costOf(verifierOf(), encode(await low.issue({ name: 'Leaf' }), low))).toEqual({
      checks: 2,
      end: 'anchored',
    });
  });
});

describe('a list that names many authorities alike', () => {
  const KEYS = 20;
  const TRIED = 16;
  let crowd: Authority[];
  beforeAll(async () => {
    const one = () => createCertificateAuthority({ name: 'Root', now, subjectKeyIdentifier: Buffer.alloc(20, 7) });
    crowd = await Promise.all(Array.from({ length: KEYS }, one));
  });
  const listed = (authorities: readonly Authority[], list = 'crowd') =>
    authorities.map(({ certificate }): TrustAnchor => ({
      ...{ certificate: parseCertificate(certificate), purposes: ['credential'], list, entity: `${list}/entity` },
    }));
  const leafOf = async (authority: Authority, authorityKeyIdentifier?: Buffer | null) =>
    encode(
      await authority.issue({
        name: 'Leaf',
        ...(authorityKeyIdentifier === undefined ? {} : { authorityKeyIdentifier }),
      }),
    );
  const stranger = () => createCertificateAuthority({ name: 'Root', now });

  it.each([
    ['names its issuer by a key identifier', undefined],
    ['copies that of the crowd', Buffer.alloc(20, 7)],
    ['has none', null],
  ])('costs a chain of a stranger that %s so many checks at most', async (_what, identifier) => {
    const verifier = verifierOf(listed(crowd));
    const chain = await leafOf(await stranger(), identifier);
    expect(costOf(verifier, chain, demanded)).toEqual({ checks: TRIED + 1, end: 'untrusted_issuer' });
  });

  it('still lets every authority with a key identifier of its own certify, the last one too', async () => {
    const last = await stranger();
    expect(costOf(verifierOf(listed([...crowd, last])), await leafOf(last), demanded)).toEqual({
      checks: TRIED,
      end: 'anchored',
    });
  });

  it('does not displace an authority of another list, or of the trust file, whatever it copies', async () => {
    const own = await createCertificateAuthority({ name: 'Root', now, subjectKeyIdentifier: Buffer.alloc(20, 7) });
    const chain = await leafOf(own);
    for (const other of [listed([own], 'other'), [{ ...listed([own])[0], list: undefined } as never as TrustAnchor]]) {
      for (const all of [
        [...listed(crowd), ...other],
        [...other, ...listed(crowd)],
      ])
        expect(costOf(verifierOf(all), chain, demanded)).toEqual({ checks: TRIED + 1, end: 'anchored' });
    }
  });

  it('is told by its names; certificates for one key are one', async () => {
    const one = { name: 'Root', privateKey: createPrivateKeyOf('P-256') };
    const repeated = await Promise.all(Array.from({ length: KEYS }, () => root.issueAuthority(one)));
    expect(crowdedNames(listed(crowd.slice(0, TRIED)))).toBe(0);
    expect(crowdedNames(listed(repeated))).toBe(0);
    expect(crowdedNames(listed([...crowd, ...repeated]))).toBe(1);
    const [issuer] = repeated;
    const chain = await leafOf(issuer as Authority);
    expect(costOf(verifierOf(listed(repeated)), chain, demanded)).toEqual({ checks: 1, end: 'anchored' });
  });
});

describe('what is remembered of chains', () => {
  const largeChain = async () => {
    const filling = { oid: '1.3.6.1.4.1.55555.1', critical: false, value: randomBytes(15_000) };
    return encode(await root.issue({ name: 'Leaf', extensions: [filling] }));
  };

  it('is bounded in bytes: the large one that was not used for longest is forgotten', async () => {
    const verifier = createChainVerifier(anchors, { maxEntries: 100, maxCharacters: 50_000 });
    const [one, two, three] = [await largeChain(), await largeChain(), await largeChain()];
    for (const chain of [one, two]) expect(costOf(verifier, chain).checks).toBe(1);
    for (const chain of [one, two]) expect(costOf(verifier, chain).checks).toBe(0);
    expect(costOf(verifier, three).checks).toBe(1);
    expect(costOf(verifier, two).checks).toBe(0);
    expect(costOf(verifier, one).checks).toBe(1);
  });

  it('takes no chain that is larger than everything together', async () => {
    const verifier = createChainVerifier(anchors, { maxEntries: 100, maxCharacters: 10_000 });
    const [small, large] = [encode(await root.issue({ name: 'Leaf' })), await largeChain()];
    expect([costOf(verifier, small).checks, costOf(verifier, large).checks, costOf(verifier, small).checks]).toEqual([
      1, 1, 0,
    ]);
  });
});
