import type * as NodeCrypto from 'node:crypto';
import { randomBytes } from 'node:crypto';
import { createCertificateAuthority, createPrivateKeyOf, type Authority } from '@vestibule/dev-pki';
import { MAX_UNANCHORED_CHAINS, verifyVpToken } from './index';
import {
  createStage,
  expectationOf,
  NOW,
  pidQuery,
  present,
  queryOf,
  trustOf,
  type Stage,
  type TrustOptions,
} from './testing/presentation.fixture-spec';

const signatures = jest.spyOn(jest.requireActual<typeof NodeCrypto>('node:crypto'), 'verify');

/** Of each presentation: that of the issuer, and that of the holder. */
const OWN = 2;

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});

/** How many signatures are checked until an answer is judged, and how that ends. */
function costOf(presentations: readonly string[], trust: TrustOptions = {}) {
  const query = queryOf({ credentials: [pidQuery({ multiple: true })] });
  const expected = expectationOf(stage, { query, trust: trustOf(stage, trust) });
  signatures.mockClear();
  try {
    verifyVpToken({ pid: [...presentations] }, [], expected);
    return { checks: signatures.mock.calls.length, end: 'passed' };
  } catch (error) {
    return { checks: signatures.mock.calls.length, end: (error as { code?: string }).code };
  }
}

async function inTurn<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let index = 0; index < count; index += 1) made.push(await make(index));
  return made;
}

/** Presentations of one issuer each, with chains of two certificates below these authorities. */
const presentationsBelow = (count: number, authorityOf: (index: number) => Promise<Authority>) =>
  inTurn(count, async (index) => {
    const authority = await authorityOf(index);
    const leaf = await authority.issue({ name: 'Issuer', dnsNames: ['issuer.example'] });
    return present(stage, { issuerKey: leaf.privateKey, x5c: [leaf.certificate, authority.certificate] });
  });
const strangers = async (count: number) => {
  const root = await createCertificateAuthority({ name: 'Somebody', now: NOW });
  return presentationsBelow(count, (index) => root.issueAuthority({ name: `Authority ${index}` }));
};

describe('signatures that are checked for the chains of one answer', () => {
  it('are those of one chain, though each presentation needs it twice', async () => {
    expect(costOf([await present(stage)])).toEqual({ checks: 2 + OWN, end: 'passed' });
  });

  it.each([
    ['short', 10],
    ['longer than 16,384 characters', 15_000],
  ])('are those of one chain for 64 presentations that share one, %s', async (_, bytes) => {
    const filling = { oid: '1.3.6.1.4.1.55555.1', critical: false, value: randomBytes(bytes) };
    const leaf = await stage.pki.intermediate.issue({ name: 'Issuer', extensions: [filling] });
    const x5c = [leaf.certificate, stage.pki.intermediate.certificate];
    const presentations = await inTurn(64, (index) =>
      present(stage, { issuerKey: leaf.privateKey, x5c, claims: { given_name: `E${index}` } }),
    );
    expect(costOf(presentations)).toEqual({ checks: 2 + 64 * OWN, end: 'passed' });
  });

  it('are those of eight chains, where nobody vouches for 64 issuers', async () => {
    const presentations = await strangers(64);
    const most = (MAX_UNANCHORED_CHAINS + 1) * (2 + OWN);
    expect(costOf(presentations, { anchors: [] })).toEqual({ checks: most, end: 'too_many_issuers' });
    expect(costOf(presentations, { policy: 'report' })).toEqual({ checks: most, end: 'too_many_issuers' });
    const fewer = presentations.slice(0, MAX_UNANCHORED_CHAINS);
    expect(costOf(fewer, { anchors: [] })).toEqual({ checks: MAX_UNANCHORED_CHAINS * (2 + OWN), end: 'passed' });
  });

  it.each<TrustOptions>([{ policy: 'auto' }, { policy: 'enforce' }, { policy: 'enforce', anchors: [] }])(
    'are hardly any where somebody has to vouch for the issuer: %j',
    async (trust) => {
      expect(costOf(await strangers(3), trust)).toEqual({ checks: 1, end: 'untrusted_issuer' });
    },
  );

  it('are few where the name of an anchor is forged', async () => {
    const forger = await createCertificateAuthority({ name: 'Forger', now: NOW });
    const presentations = await presentationsBelow(3, (index) =>
      forger.issueAuthority({ name: `Authority ${index}`, issuerName: stage.pki.root.name }),
    );
    expect(costOf(presentations)).toEqual({ checks: 2, end: 'untrusted_issuer' });
  });

  it('are those of each chain, where an anchor vouches for all of 20 issuers', async () => {
    const presentations = await presentationsBelow(20, (index) =>
      stage.pki.root.issueAuthority({ name: `Authority ${index}`, privateKey: createPrivateKeyOf('P-256') }),
    );
    expect(costOf(presentations)).toEqual({ checks: 20 * (2 + OWN), end: 'passed' });
  });
});
