import {
  createStage,
  expectFailure,
  NOW,
  present,
  type CredentialOptions,
  type Stage,
} from './testing/presentation.fixture-spec';

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});

describe('one fault in the chain', () => {
  const signedBy = (issued: { privateKey: CredentialOptions['issuerKey']; certificate: Uint8Array }) =>
    present(stage, { issuerKey: issued.privateKey as never, x5c: [issued.certificate] });

  it('VP:N4 the anchor in x5c fails', async () => {
    const { issuer, root } = stage.pki;
    const text = await present(stage, { x5c: [...issuer.chain, root.certificate] });
    expectFailure(stage, text, ['issuer_certificate_chain', 'trust_anchor_in_x5c']);
  });

  it('VP:N3 a self-signed leaf fails', async () => {
    const { root } = stage.pki;
    const leaf = await root.issue({ name: root.name, privateKey: root.privateKey });
    expectFailure(stage, await signedBy(leaf), ['issuer_certificate_chain', 'leaf_self_signed']);
  });

  it('VP:N6 an expired leaf fails', async () => {
    const leaf = await stage.pki.root.issue({ name: 'Issuer', notAfter: new Date(NOW.getTime() - 1000) });
    expectFailure(stage, await signedBy(leaf), ['issuer_certificate_chain', 'certificate_expired']);
  });

  it('VP:N6 a leaf that is not valid yet fails', async () => {
    const leaf = await stage.pki.root.issue({ name: 'Issuer', notBefore: new Date(NOW.getTime() + 1000) });
    expectFailure(stage, await signedBy(leaf), ['issuer_certificate_chain', 'certificate_not_yet_valid']);
  });

  it('VP:N8 a leaf for key agreement fails', async () => {
    const leaf = await stage.pki.root.issue({ name: 'Issuer', keyUsages: ['keyAgreement'] });
    expectFailure(stage, await signedBy(leaf), ['issuer_certificate_chain', 'leaf_key_usage']);
  });

  it('VP:N7 an intermediate that is no authority fails', async () => {
    const authority = await stage.pki.root.issueAuthority({ name: 'No CA', ca: false });
    const leaf = await authority.issue({ name: 'Issuer' });
    const text = await present(stage, {
      issuerKey: leaf.privateKey,
      x5c: [leaf.certificate, authority.certificate],
    });
    expectFailure(stage, text, ['issuer_certificate_chain', 'issuer_not_ca']);
  });

  it('VP:N2 the wrong order fails', async () => {
    const text = await present(stage, { x5c: [...stage.pki.issuer.chain].reverse() });
    expectFailure(stage, text, ['issuer_certificate_chain', 'chain_broken']);
  });

  it('VP:N5 names that chain, signatures that do not fails', async () => {
    const leaf = await stage.foreignRoot.issue({ name: 'Issuer', issuerName: stage.pki.root.name });
    expectFailure(stage, await signedBy(leaf), ['issuer_certificate_chain', 'untrusted_issuer']);
  });

  it('VP:N5 a missing intermediate fails', async () => {
    const text = await present(stage, { x5c: [stage.pki.issuer.certificate] });
    expectFailure(stage, text, ['issuer_certificate_chain', 'untrusted_issuer']);
  });

  it('VP:N6 the anchor itself has expired fails', async () => {
    const now = new Date(NOW.getTime() + 3651 * 86_400_000);
    const leaf = await stage.pki.root.issue({ name: 'Issuer', notAfter: new Date(now.getTime() + 1000) });
    const seconds = now.getTime() / 1000;
    const text = await present(
      stage,
      { issuerKey: leaf.privateKey, x5c: [leaf.certificate], iat: seconds, exp: seconds + 9 },
      { claims: { iat: seconds } },
    );
    expectFailure(stage, text, ['issuer_certificate_chain', 'trust_anchor_expired'], { now, requestedAt: now });
  });
});
