import { createCertificateAuthority, type Authority } from '@vestibule/dev-pki';
import {
  applyTrustPolicy,
  isAnchorNeeded,
  maySignStatusOf,
  parseCertificate,
  subjectValues,
  verifyChain,
  type Purpose,
  type TrustAnchor,
} from './index';

const now = new Date('2026-03-01T12:00:00Z');
let issuing: Authority;
let revoking: Authority;
beforeAll(async () => {
  issuing = await createCertificateAuthority({ name: 'Issuing', now });
  revoking = await createCertificateAuthority({ name: 'Revoking', now });
});

const anchor = ({ certificate }: Authority, purpose: Purpose, entity?: string): TrustAnchor => ({
  certificate: parseCertificate(certificate),
  purposes: [purpose],
  ...(entity === undefined ? {} : { entity }),
});

async function below(authority: Authority, anchors: readonly TrustAnchor[], purpose: Purpose, vct = 'urn:any') {
  const leaf = await authority.issue({ name: 'Leaf' });
  return verifyChain([parseCertificate(leaf.certificate)], anchors, { now, purpose, vct });
}

/** May the revoking authority sign the status list of a credential below the issuing one? */
async function serves(anchors: readonly TrustAnchor[], vct = 'urn:any', later = anchors): Promise<boolean> {
  const credential = await below(issuing, anchors, 'credential', vct);
  const signer = await below(revoking, later, 'status', vct);
  return maySignStatusOf(credential, signer, { anchors: later, issued: { purpose: 'credential', vct } });
}

describe('an authority on a list of trusted entities', () => {
  const listed = (authority: Authority): TrustAnchor => ({ ...anchor(authority, 'credential'), list: 'pid' });

  it('VP:N5 vouches for what its key has signed, and for nothing else that bears its name', async () => {
    const anchors = [listed(issuing)];
    expect((await below(issuing, anchors, 'credential')).anchor).toBe(anchors[0]);
    const namesake = await createCertificateAuthority({ name: 'Issuing', now });
    expect((await below(namesake, anchors, 'credential')).anchor).toBeUndefined();
    // The second one names the identifier of the real key.
    const impostor = await issuing.issue({ name: 'Leaf', signingKey: namesake.privateKey });
    const chain = [parseCertificate(impostor.certificate)];
    expect(verifyChain(chain, anchors, { now, purpose: 'credential' }).anchor).toBeUndefined();
  });

  it('VP:N5 is found by its key among others of its name, and counts wherever its key is listed', async () => {
    const namesake = await createCertificateAuthority({ name: 'Issuing', now });
    const renewed = await createCertificateAuthority({ name: 'Issuing', now, privateKey: issuing.privateKey });
    const [other, ...own] = [namesake, issuing, renewed].map(listed);
    const { anchor: found, fitting } = await below(issuing, [other as TrustAnchor, ...own], 'credential');
    expect(found).toBe(own[0]);
    expect(fitting).toEqual(own);
  });
});

describe('an authority for status on a list of trusted entities', () => {
  it.each<[string, string | undefined, string | undefined, boolean]>([
    ['serves the credentials of its own entity', 'pid/0', 'pid/0', true],
    ['does not serve those of another entity', 'pid/0', 'pid/1', false],
    ['does not serve those of an anchor in a file', undefined, 'pid/1', false],
    ['serves all where it is an anchor in a file', 'pid/0', undefined, true],
  ])('EU:T5 %s', async (_, issuer, authority, expected) => {
    const anchors = [anchor(issuing, 'credential', issuer), anchor(revoking, 'status', authority)];
    expect(await serves(anchors)).toBe(expected);
  });
});

describe('who may sign the status list of an issuer', () => {
  const both: readonly Purpose[] = ['credential', 'status'];

  it('EU:T5 is nobody else for an issuer without an anchor, whoever has certified the signer', async () => {
    const appointed = [anchor(revoking, 'status')];
    expect(await serves(appointed)).toBe(false);
    expect(await serves([])).toBe(false);
    expect(await serves([anchor(issuing, 'credential'), ...appointed])).toBe(true);
  });

  it('EU:T5 is nobody below an authority that is named for credentials as well', async () => {
    const alike = { ...anchor(revoking, 'status', 'pid/0'), purposes: both };
    expect(await serves([anchor(issuing, 'credential', 'pid/0'), alike])).toBe(false);
  });

  it('EU:T5 is who has its authority, and where that is demanded its subject', async () => {
    const anchors = [{ ...anchor(issuing, 'credential'), purposes: both }];
    const chainOf = async (name: string, purpose: Purpose) => {
      const { certificate } = await issuing.issue({ name });
      return verifyChain([parseCertificate(certificate)], anchors, { now, purpose });
    };
    const credential = await chainOf('Issuer', 'credential');
    const [same, other] = [await chainOf('Issuer', 'status'), await chainOf('Other', 'status')];
    const issued = { purpose: 'credential' } as const;
    const verdicts = [{}, { needsSubject: true }].map((demand) =>
      [same, other].map((signer) => maySignStatusOf(credential, signer, { anchors, issued, ...demand })),
    );
    expect(verdicts).toEqual([
      [true, true],
      [true, false],
    ]);
  });
});

describe('an authority for status of one of two entities that name the same issuing authority', () => {
  const PID = 'urn:pid';
  const named = (authority: Authority, purpose: Purpose, entity?: string, vcts = [PID]): TrustAnchor => ({
    ...anchor(authority, purpose, entity),
    vcts,
  });

  it.each<[string, () => TrustAnchor[], boolean]>([
    ['serves nobody: either may have named the authority of the other', () => [], false],
    ['serves both if both name it', () => [named(revoking, 'status', 'pid/1')], true],
  ])('EU:T5 %s', async (_, more, expected) => {
    const entities = [named(issuing, 'credential', 'pid/0'), named(issuing, 'credential', 'pid/1')];
    const anchors = [...entities, named(revoking, 'status', 'pid/0'), ...more()];
    expect(await serves(anchors, PID)).toBe(expected);
  });

  it('EU:T5 serves nobody whom the next version of the list no longer names', async () => {
    const listed = [named(issuing, 'credential', 'pid/0'), named(revoking, 'status', 'pid/0')];
    expect(await serves(listed, PID)).toBe(true);
    expect(await serves(listed, PID, listed.slice(1))).toBe(false);
  });

  it('EU:T5 serves its own where the other one issues another type', async () => {
    const other = named(issuing, 'credential', 'eaa/0', ['urn:eaa']);
    const anchors = [other, named(issuing, 'credential', 'pid/0'), named(revoking, 'status', 'pid/0')];
    expect(await serves(anchors, PID)).toBe(true);
  });
});

describe('what a list decides about', () => {
  const covered = [{ purposes: ['credential'] as const, vcts: ['urn:a'], missing: 'anchors' as const }];
  const context = { policy: 'auto', anchors: [], covered, purpose: 'credential' } as const;

  it('needs an anchor even while the list names nobody', async () => {
    expect(isAnchorNeeded({ ...context, vct: 'urn:a' })).toBe(true);
    const chain = await below(issuing, [], 'credential');
    expect(() => applyTrustPolicy(chain, { ...context, vct: 'urn:a' })).toThrow(
      expect.objectContaining({ code: 'untrusted_issuer' }),
    );
  });

  it('is that alone, and nothing where the policy only reports', () => {
    expect(isAnchorNeeded({ ...context, vct: 'urn:b' })).toBe(false);
    expect(isAnchorNeeded({ ...context, purpose: 'status', vct: 'urn:a' })).toBe(false);
    expect(isAnchorNeeded({ ...context, policy: 'report', vct: 'urn:a' })).toBe(false);
  });
});

describe('the texts of a subject', () => {
  it('are those of one attribute', async () => {
    const { certificate } = await issuing.issue({ name: 'Name', organization: 'Organisation, Ltd' });
    const parsed = parseCertificate(certificate);
    expect(subjectValues(parsed, '2.5.4.10')).toEqual(['Organisation, Ltd']);
    expect(subjectValues(parsed, '2.5.4.6')).toEqual([]);
  });
});
