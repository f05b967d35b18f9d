import { createHash } from 'node:crypto';
import { verifyEs256 } from '@vestibule/crypto';
import { createPrivateKeyOf, createSelfSignedLeaf, toPem } from '@vestibule/dev-pki';
import {
  createFolder,
  createMemoryLogger,
  faultOf,
  issueFor,
  noDevice,
  type Folder,
} from '../../testing/key-files.fixture-spec';
import { at, base64, createWorld, failsWith, NOW, type World } from '../../testing/verifier.fixture-spec';
import { readAccessCertificates } from './access-certificate-files';
import { trackFiles } from '@vestibule/keys';

const INPUT = Buffer.from('input');

type Issued = Awaited<ReturnType<typeof issueFor>>;

let world: World;
let main: Issued;
let newer: Issued;
let files: Folder;
beforeAll(async () => {
  world = await createWorld();
  main = await issueFor(world.pki, [-300, 60]);
  newer = await issueFor(world.pki, [-10, 355]);
});
beforeEach(() => {
  files = createFolder();
});
afterEach(() => files.remove());

const day = (days: number) => at(days * 86_400);
const clientIdOf = ({ certificate }: Issued) =>
  `x509_hash:${createHash('sha256').update(certificate).digest('base64url')}`;

function add(name: string, { pem, privateKey }: Pick<Issued, 'pem' | 'privateKey'>): void {
  files.write(`more/${name}.pem`, pem);
  files.write(`more/${name}-key.pem`, toPem(privateKey));
}

function read(first = main, now = NOW) {
  const logger = createMemoryLogger();
  const options = {
    certificateFile: files.write('main.pem', first.pem),
    key: toPem(first.privateKey),
    openKey: noDevice,
    folder: files.fileOf('more'),
    allowSelfSigned: false,
  };
  return { certificates: readAccessCertificates(options, { files: trackFiles(), now, logger }), logger };
}

describe('several access certificates', () => {
  it('VP:A4 VP:A6 the one that became valid last names new requests, and the former again after its end', async () => {
    const brief = await issueFor(world.pki, [-5, 5]);
    const coming = await issueFor(world.pki, [20, 50]);
    add('newer', newer);
    add('brief', brief);
    add('coming', coming);
    const { certificates } = read();
    const named = [-20, -7, 0, 5, 6, 19, 20, 51, 100].map((days) => certificates.currentClientId(day(days)));
    const expected = [main, newer, brief, brief, newer, newer, coming, newer, newer].map(clientIdOf);
    expect(named).toEqual(expected);
  });

  it('VP:A7 each signs the requests that were made with it, while it is valid', async () => {
    add('newer', newer);
    const { certificates } = read();
    for (const own of [main, newer]) {
      const { sign, x5c } = certificates.signerOf(clientIdOf(own), NOW);
      expect(verifyEs256(own.privateKey, INPUT, await sign(INPUT))).toBe(true);
      expect(x5c[0]).toBe(base64(own.certificate));
    }
    const expired = failsWith('signing_certificate_expired');
    expect(() => certificates.signerOf(clientIdOf(main), day(61))).toThrow(expired);
    expect(certificates.isValidAt(day(61))).toBe(true);
  });

  it('VP:A4 an expired one is a warning that names its file, in the folder or alone, as long as one is valid', async () => {
    const old = await issueFor(world.pki, [-20, -1]);
    add('newer', newer);
    add('old', old);
    const { certificates, logger } = read(old);
    expect(certificates.currentClientId(NOW)).toBe(clientIdOf(newer));
    const fields = ['main.pem', 'more/old.pem'].map((name) => ({
      file: files.fileOf(name),
      endedAt: day(-1).toISOString(),
    }));
    expect(logger.lines.map((line) => [line.level, line.fields])).toEqual(fields.map((field) => ['warn', field]));
  });

  it('VP:A4 are refused where none is valid', async () => {
    const old = await issueFor(world.pki, [-20, -1]);
    add('older', await issueFor(world.pki, [-50, -21]));
    expect(faultOf(() => read(old))).toEqual(failsWith('signing_certificate_expired'));
    add('coming', await issueFor(world.pki, [1, 50]));
    expect(faultOf(() => read(old))).toEqual(failsWith('signing_certificate_not_yet_valid'));
  });

  it('VP:A4 end together only where no successor begins in time', async () => {
    files.write('more/.keep', '');
    expect(read().certificates.validUntil(NOW)).toEqual(day(60));
    add('gap', await issueFor(world.pki, [90, 120]));
    expect(read().certificates.validUntil(NOW)).toEqual(day(60));
    expect(read().certificates.validUntil(day(70))).toBeUndefined();
    add('after', await issueFor(world.pki, [59, 90]));
    expect(read().certificates.validUntil(NOW)).toEqual(day(120));
  });
});

describe('a fault in the folder stops the start and names the file', () => {
  const faultNaming = (name: string) => {
    const fault = faultOf(() => read());
    expect(fault.detail).toContain(files.fileOf(name));
    return fault;
  };

  it('VP:A1 a self-signed leaf', async () => {
    const own = await createSelfSignedLeaf({ name: 'Self', now: NOW });
    add('self', { ...own, pem: toPem([own.certificate]) });
    expect(faultNaming('more/self.pem')).toEqual(failsWith('signing_certificate_self_signed'));
  });

  it('VP:A3 a key of another certificate, or on another curve, also of a certificate that has expired', async () => {
    const { pem } = await issueFor(world.pki, [-20, -1]);
    add('old', { pem, privateKey: createPrivateKeyOf('P-256') });
    expect(faultNaming('more/old.pem')).toEqual(failsWith('signing_key_mismatch'));
    add('old', { pem, privateKey: createPrivateKeyOf('P-384') });
    expect(faultNaming('more/old.pem')).toEqual(failsWith('signing_key_not_p256'));
  });

  it('VP:A3 half a pair', () => {
    files.write('more/lonely.pem', newer.pem);
    expect(faultNaming('more/lonely-key.pem')).toEqual(failsWith('signing_key_not_p256'));
    files.delete('more/lonely.pem');
    files.write('more/lonely-key.pem', toPem(newer.privateKey));
    expect(faultNaming('more/lonely.pem')).toEqual(failsWith('certificate_file_invalid'));
  });

  it('VP:A5 certificates that are no chain', () => {
    const pem = toPem([newer.certificate, world.pki.intermediate.certificate]);
    add('broken', { ...newer, pem });
    expect(faultNaming('more/broken.pem')).toEqual(failsWith('signing_chain_invalid'));
  });

  it('a folder that is not there', () => {
    expect(faultNaming('more')).toEqual(failsWith('certificate_file_invalid'));
  });
});
