import { createHash } from 'node:crypto';
import { verifyEs256 } from '@vestibule/crypto';
import { createPrivateKeyOf, createSelfSignedLeaf, toPem } from '@vestibule/dev-pki';
import { createFolder, createMemoryLogger, faultOf, noDevice } from '../../testing/key-files.fixture-spec';
import { at, base64, createWorld, failsWith, NOW, type World } from '../../testing/verifier.fixture-spec';
import { readAccessCertificates, type AccessCertificateFiles } from './access-certificate-files';
import { trackFiles } from '@vestibule/keys';

const INPUT = Buffer.from('input');

let world: World;
const folder = createFolder();
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => folder.remove());

type Changes = Partial<AccessCertificateFiles> & { readonly pem?: string; readonly now?: Date };

/** The chain of the verifier of the world and its key, unless told otherwise. */
function read({ pem, now = NOW, ...more }: Changes = {}) {
  const { chain, privateKey } = world.pki.verifier;
  const certificateFile = folder.write('verifier.pem', pem ?? toPem(chain));
  return readAccessCertificates(
    { certificateFile, key: toPem(privateKey), openKey: noDevice, allowSelfSigned: false, ...more },
    { files: trackFiles(), now, logger: createMemoryLogger() },
  );
}

describe('the access certificate', () => {
  it('VP:A6 gives the client_id: the hash of the leaf’s DER', () => {
    const hash = createHash('sha256').update(world.pki.verifier.certificate).digest('base64url');
    expect(read().currentClientId(NOW)).toBe(`x509_hash:${hash}`);
  });

  it('VP:A2 VP:A5 signs with its chain, without the anchor where the file has it', async () => {
    const { chain, privateKey } = world.pki.verifier;
    const certificate = read({ pem: toPem([...chain, world.pki.root.certificate]) });
    const signer = certificate.signerOf(certificate.currentClientId(NOW), NOW);
    expect(signer.x5c).toEqual(chain.map(base64));
    expect(verifyEs256(privateKey, INPUT, await signer.sign(INPUT))).toBe(true);
  });

  it('VP:A4 neither names nor signs before its time and after it', () => {
    const certificate = read();
    const clientId = certificate.currentClientId(NOW);
    const [before, after] = [at(-2 * 86_400), at(3 * 366 * 86_400)];
    expect([before, NOW, after].map((time) => certificate.isValidAt(time))).toEqual([false, true, false]);
    expect(() => certificate.currentClientId(before)).toThrow(failsWith('signing_certificate_not_yet_valid'));
    expect(() => certificate.currentClientId(after)).toThrow(failsWith('signing_certificate_expired'));
    expect(() => certificate.signerOf(clientId, after)).toThrow(failsWith('signing_certificate_expired'));
    expect(certificate.isValidAt(certificate.validUntil(NOW) as Date)).toBe(true);
  });

  it('VP:A7 does not sign for another client_id', () => {
    expect(() => read().signerOf('x509_hash:other', NOW)).toThrow(failsWith('access_certificate_replaced'));
  });
});

describe('a fault in the files', () => {
  it('VP:A1 a self-signed leaf is refused, except where development allows it', async () => {
    const { certificate, privateKey } = await createSelfSignedLeaf({ name: 'Self', now: NOW });
    const own = { pem: toPem([certificate]), key: toPem(privateKey) };
    expect(faultOf(() => read(own))).toEqual(failsWith('signing_certificate_self_signed'));
    expect(read({ ...own, allowSelfSigned: true }).isValidAt(NOW)).toBe(true);
  });

  it('VP:A3 a key that is not the leaf’s is named', () => {
    const key = toPem(createPrivateKeyOf('P-256'));
    expect(faultOf(() => read({ key }))).toEqual(failsWith('signing_key_mismatch'));
  });

  it('VP:A3 a key on another curve is named', () => {
    const key = toPem(createPrivateKeyOf('P-384'));
    expect(faultOf(() => read({ key }))).toEqual(failsWith('signing_key_not_p256'));
  });

  it('VP:A10 a key that cannot be read is named without showing it', () => {
    const key = toPem(createPrivateKeyOf('P-256')).replace('MI', 'canary');
    const fault = faultOf(() => read({ key }));
    expect(fault).toEqual(failsWith('signing_key_not_p256'));
    expect(JSON.stringify([fault, fault.message])).not.toContain('canary');
  });

  it('a file that is not there is named', () => {
    const fault = faultOf(() => read({ certificateFile: folder.fileOf('missing.pem') }));
    expect(fault).toEqual(failsWith('certificate_file_invalid'));
    expect(fault.detail).toContain('missing.pem');
  });

  it('a file without certificate is named', () => {
    const fault = faultOf(() => read({ pem: 'nothing' }));
    expect(fault).toEqual(failsWith('certificate_file_invalid'));
    expect(fault.detail).toContain('verifier.pem');
  });

  it('VP:A5 a chain in the wrong order is named', () => {
    const pem = toPem([world.pki.verifier.certificate, world.pki.root.certificate]);
    expect(faultOf(() => read({ pem }))).toEqual(failsWith('signing_chain_invalid'));
  });

  it('VP:A4 a certificate that is not valid now is named', () => {
    expect(faultOf(() => read({ now: at(3 * 366 * 86_400) }))).toEqual(failsWith('signing_certificate_expired'));
    expect(faultOf(() => read({ now: at(-2 * 86_400) }))).toEqual(failsWith('signing_certificate_not_yet_valid'));
  });
});
