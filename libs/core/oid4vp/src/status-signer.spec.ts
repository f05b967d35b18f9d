import type { KeyObject } from 'node:crypto';
import { signEs256 } from '@vestibule/crypto';
import { createCertificateAuthority } from '@vestibule/dev-pki';
import { packStatuses, signStatusListToken, verifyStatusListToken } from '@vestibule/status-list';
import { parseX5c } from '@vestibule/x509-trust';
import {
  authoriseStatusSigner,
  statusSignerKey,
  statusSignerValidUntil,
  verifyPresentation,
  type VerifiedPresentation,
} from './index';
import {
  anchorOf,
  base64,
  createStage,
  expectationOf,
  failsWith,
  NOW,
  present,
  trustOf,
  VCT,
  type Stage,
  type TrustOptions,
} from './testing/presentation.fixture-spec';

let stage: Stage;
let presentation: VerifiedPresentation;
beforeAll(async () => {
  stage = await createStage();
  presentation = verifyPresentation('pid', await present(stage), [], expectationOf(stage));
});

interface Signer {
  readonly privateKey: KeyObject;
  readonly chain: readonly Uint8Array[];
}
const uri = 'https://issuer.example/lists/1';
const headerOf = ({ chain }: Pick<Signer, 'chain'>) => ({ x5c: chain.map(base64) });
const authorise = (signer: Pick<Signer, 'chain'>, trust: TrustOptions = {}) =>
  authoriseStatusSigner(headerOf(signer), presentation, trustOf(stage, trust), NOW);
const listOf = async ({ privateKey, chain }: Signer, signingKey = privateKey) =>
  signStatusListToken({
    uri,
    issuedAt: NOW,
    expiresAt: new Date(NOW.getTime() + 60_000),
    ttlSeconds: 60,
    list: packStatuses(8, 1, []),
    x5c: chain.map(base64),
    signer: (input) => signEs256(signingKey, input),
  });
const verifyList = (token: string) =>
  verifyStatusListToken(token, {
    uri,
    now: NOW,
    skewSeconds: 60,
    signerKeys: (header) => [statusSignerKey(header, trustOf(stage), NOW)],
  });

describe('the signer of a status list', () => {
  it('VP:O5 VP:O6 may be the issuer itself', async () => {
    const { header } = await verifyList(await listOf(stage.pki.issuer));
    expect(() => authoriseStatusSigner(header, presentation, trustOf(stage), NOW)).not.toThrow();
  });

  it('VP:O6 may be another leaf of the same authority', async () => {
    const leaf = await stage.pki.intermediate.issue({ name: 'Status signer' });
    expect(() => authorise({ chain: [leaf.certificate, stage.pki.intermediate.certificate] })).not.toThrow();
  });

  it('VP:O6 may be another leaf of the same authority only with the name of the issuer, where that is demanded', async () => {
    const judge = (chain: readonly Uint8Array[], anchors?: TrustOptions['anchors']) =>
      authoriseStatusSigner(
        headerOf({ chain }),
        presentation,
        { ...trustOf(stage, anchors ? { anchors } : {}), statusSigners: 'issuer' },
        NOW,
      );
    const issuedBy = async (name: string, authority = stage.pki.intermediate) =>
      [(await authority.issue({ name })).certificate, authority.certificate] as const;
    const [leaf] = parseX5c(stage.pki.issuer.chain.map(base64));
    const name = /^CN=([^,]+)$/.exec(leaf?.subjectText ?? '')?.[1] ?? '';
    expect(() => judge(stage.pki.issuer.chain)).not.toThrow();
    expect(judge(await issuedBy(name))?.leaf.subject).toEqual(leaf?.subject);
    const sibling = await stage.pki.root.issueAuthority({ name: 'Status CA', pathLength: 0 });
    for (const chain of [await issuedBy('Another issuer'), await issuedBy(name, sibling)])
      expect(() => judge(chain)).toThrow(failsWith('status_signer_not_authorised'));
    const issuing = anchorOf(stage.pki.root.certificate, { purposes: ['credential'] });
    const anchors = [issuing, anchorOf(sibling.certificate, { purposes: ['status'] })];
    expect(judge(await issuedBy('Status signer', sibling), anchors)).toBeDefined();
  });

  it('VP:O6 may have the key of the issuer under any name and below any authority that is anchored', async () => {
    const { privateKey } = stage.pki.issuer;
    const sibling = await stage.pki.root.issueAuthority({ name: 'Status CA', pathLength: 0 });
    const leaf = await sibling.issue({ name: 'Another name', privateKey });
    const header = headerOf({ chain: [leaf.certificate, sibling.certificate] });
    for (const statusSigners of ['authority', 'issuer'] as const) {
      const trust = { ...trustOf(stage), statusSigners };
      expect(authoriseStatusSigner(header, presentation, trust, NOW)).toBeDefined();
    }
  });

  it('VP:O6 may be below an anchor for status alone, a sibling intermediate of the same root too', async () => {
    const sibling = await stage.pki.root.issueAuthority({ name: 'Status CA', pathLength: 0 });
    const leaf = await sibling.issue({ name: 'Status signer' });
    const issuing = anchorOf(stage.pki.root.certificate, { purposes: ['credential'] });
    const anchors = [issuing, anchorOf(sibling.certificate, { purposes: ['status'] })];
    for (const chain of [[leaf.certificate], [leaf.certificate, sibling.certificate]]) {
      expect(() => authorise({ chain }, { anchors })).not.toThrow();
      const both = [...anchors, anchorOf(sibling.certificate, { purposes: ['credential'] })];
      expect(() => authorise({ chain }, { anchors: both })).toThrow(failsWith('status_signer_not_authorised'));
    }
  });

  it('VP:O6 may not be a leaf of another authority below the same anchor (sl:sl-other-issuer-under-anchor)', async () => {
    const other = await stage.pki.root.issueAuthority({ name: 'Other CA', pathLength: 0 });
    const leaf = await other.issue({ name: 'Other issuer' });
    const chain = [leaf.certificate, other.certificate];
    expect(() => authorise({ chain })).toThrow(failsWith('status_signer_not_authorised'));
  });

  it('VP:O6 may not be of an authority that only bears the same name', async () => {
    const twin = await stage.pki.root.issueAuthority({ name: stage.pki.intermediate.name, pathLength: 0 });
    const leaf = await twin.issue({ name: 'Issuer' });
    const chain = [leaf.certificate, twin.certificate];
    expect(() => authorise({ chain })).toThrow(failsWith('status_signer_not_authorised'));
  });

  it('VP:O5 must be anchored where the policy demands it', async () => {
    const leaf = await stage.foreignRoot.issue({ name: 'Issuer' });
    expect(() => authorise({ chain: [leaf.certificate] })).toThrow(failsWith('untrusted_issuer'));
  });

  it('VP:O6 is refused where the policy only reports, unless it belongs to the issuer', async () => {
    const leaf = await stage.foreignRoot.issue({ name: 'Issuer' });
    const trust = { policy: 'report' } as const;
    expect(() => authorise({ chain: [leaf.certificate] }, trust)).toThrow(failsWith('status_signer_not_authorised'));
  });

  it('VP:O6 needs no anchor where the issuer has none and is taken, whoever else is configured for status', async () => {
    const sibling = await stage.pki.root.issueAuthority({ name: 'Status CA', pathLength: 0 });
    const leaf = await stage.foreignRoot.issue({ name: 'Issuer' });
    const signer = await stage.foreignRoot.issue({ name: 'Signer' });
    const chainOf = async (name: string) => {
      const authority = await stage.foreignRoot.issueAuthority({ name, pathLength: 0 });
      const [issuer, list] = [await authority.issue({ name: 'Issuer' }), await authority.issue({ name: 'Signer' })];
      return { issuer: [issuer.certificate, authority.certificate], list: [list.certificate, authority.certificate] };
    };
    const [own, other] = [await chainOf('Own CA'), await chainOf('Other CA')];
    const anchors = [anchorOf(sibling.certificate, { purposes: ['status'] })];
    const judge = (chain: readonly Uint8Array[], { policy = 'auto' }: Pick<TrustOptions, 'policy'> = {}) => {
      const trust = trustOf(stage, { anchors, policy });
      const issuer = trust.chains.verify(own.issuer.map(base64), { now: NOW, purpose: 'credential' });
      const unanchored = { ...presentation, signedBy: { ...presentation.signedBy, chain: issuer } };
      return authoriseStatusSigner(headerOf({ chain }), unanchored as VerifiedPresentation, trust, NOW);
    };
    expect(() => judge(own.list)).not.toThrow();
    expect(() => judge(own.issuer)).not.toThrow();
    for (const foreign of [other.list, [leaf.certificate], [signer.certificate]]) {
      expect(() => judge(foreign)).toThrow(failsWith('status_signer_not_authorised'));
    }
    expect(() => judge(own.list, { policy: 'enforce' })).toThrow(failsWith('untrusted_issuer'));
    const { certificate } = await sibling.issue({ name: 'Status signer' });
    expect(() => judge([certificate, sibling.certificate])).toThrow();
  });

  it('VP:N12 needs an anchor for status lists under the policy enforce', () => {
    const anchors = [anchorOf(stage.pki.root.certificate, { purposes: ['credential'] })];
    expect(() => authorise(stage.pki.issuer, { policy: 'enforce', anchors })).toThrow(failsWith('untrusted_issuer'));
  });

  it('VP:O5 must be valid when the credential is checked, not only when the list was fetched', () => {
    const [leaf] = parseX5c(stage.pki.issuer.chain.map(base64));
    const later = new Date((leaf?.notAfter.getTime() ?? NaN) + 1);
    expect(() => authoriseStatusSigner(headerOf(stage.pki.issuer), presentation, trustOf(stage), later)).toThrow(
      failsWith('certificate_expired'),
    );
  });
});

describe('the key of a status list', () => {
  it('VP:O5 is that of the leaf alone', async () => {
    const token = await listOf(stage.pki.issuer, stage.strangerKey);
    await expect(verifyList(token)).rejects.toThrow(failsWith('status_token_signature_invalid'));
  });

  it('VP:O5 is not taken from a chain with its anchor', async () => {
    const { issuer, root } = stage.pki;
    const token = await listOf({ ...issuer, chain: [...issuer.chain, root.certificate] });
    await expect(verifyList(token)).rejects.toThrow(failsWith('status_token_signer_not_trusted'));
  });

  it('VP:O5 is not taken from a self-signed leaf', async () => {
    const { root } = stage.pki;
    const leaf = await root.issue({ name: root.name, privateKey: root.privateKey });
    const token = await listOf({ privateKey: root.privateKey, chain: [leaf.certificate] });
    await expect(verifyList(token)).rejects.toThrow(failsWith('status_token_signer_not_trusted'));
  });

  it('VP:O5 VP:O6 does not depend on anchors that say nothing about the type: one that has ended, one that is sent along', async () => {
    const { root, intermediate, issuer } = stage.pki;
    const ended = await createCertificateAuthority({
      name: root.name,
      privateKey: root.privateKey,
      now: NOW,
      notAfter: new Date(NOW.getTime() - 86_400_000),
    });
    const renewed = anchorOf(root.certificate, { vcts: [VCT] });
    const listed = anchorOf(issuer.certificate, { vcts: [VCT], isSigner: true, list: 'pid', entity: 'pid/1' });
    for (const anchors of [
      [anchorOf(ended.certificate), renewed],
      [anchorOf(intermediate.certificate), listed],
    ]) {
      const trust = trustOf(stage, { anchors });
      const judged = verifyPresentation('pid', await present(stage), [], expectationOf(stage, { trust }));
      expect(judged.trust).toMatchObject({ trusted: true });
      const header = headerOf(issuer);
      expect(statusSignerKey(header, trust, NOW)).toBeDefined();
      expect(statusSignerValidUntil(header, trust, NOW)).toBeDefined();
      expect(authoriseStatusSigner(header, judged, trust, NOW)).toBeDefined();
    }
  });

  it('VP:O5 needs a header with x5c', () => {
    expect(() => statusSignerKey({}, trustOf(stage), NOW)).toThrow(failsWith('x5c_malformed'));
  });
});

describe('the time of a status list', () => {
  it('VP:N6 ends with the first certificate of its signer', async () => {
    const notAfter = new Date(NOW.getTime() + 60_000);
    const { certificate } = await stage.pki.intermediate.issue({ name: 'Short', notAfter });
    const header = headerOf({ chain: [certificate, stage.pki.intermediate.certificate] });
    expect(statusSignerValidUntil(header, trustOf(stage), NOW)).toEqual(notAfter);
  });
});
