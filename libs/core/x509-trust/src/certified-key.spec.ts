import { createPublicKey, type KeyObject } from 'node:crypto';
import {
  createCertificateAuthority,
  createSelfSignedLeaf,
  toPem,
  type Authority,
  type IssuedCertificate,
  type IssueOptions,
} from '@vestibule/dev-pki';
import { createChainVerifier, parseCertificate, parseX5c, type TrustAnchor } from './index';

const now = new Date('2026-03-01T12:00:00Z');
/** How much OpenSSL reads at once of a line without an end: a text that starts there looks to it like a line of its own. */
const CHUNK = 254;

let root: Authority;
let attacker: IssuedCertificate;
let anchors: TrustAnchor[];

beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  attacker = await createSelfSignedLeaf({ name: 'Attacker', now });
  anchors = [{ certificate: parseCertificate(root.certificate), purposes: ['credential', 'status'] }];
});

const publicKeyOf = ({ privateKey }: { privateKey: KeyObject }): Buffer =>
  createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
const readKeyOf = (der: Uint8Array): Buffer => parseCertificate(der).publicKey.export({ type: 'spki', format: 'der' });

/** One DER element. */
function element(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  const octets = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...octets), content]);
}

/** The attacker's certificate as text that OpenSSL takes for a PEM file. */
const pem = (label = 'CERTIFICATE', end = '\n'): string =>
  `\n${toPem(attacker.certificate)}`.replaceAll(' CERTIFICATE', ` ${label}`).replaceAll('\n', end);

const unknownExtension = (text: string): IssueOptions => ({
  name: 'Leaf',
  extensions: [{ oid: '1.3.6.1.4.1.99999.7', critical: false, value: element(0x0c, Buffer.from(text)) }],
});
const rfc822Name = (text: string): IssueOptions => ({
  name: 'Leaf',
  extensions: [{ oid: '2.5.29.17', critical: false, value: element(0x30, element(0x81, Buffer.from(text, 'latin1'))) }],
});
const subject = (text: string): IssueOptions => ({ name: text });

/** Issues with as much filling before the text that the text begins where OpenSSL takes it for the start of a line. */
async function issueOnBoundary(options: (text: string) => IssueOptions): Promise<IssuedCertificate> {
  const text = pem().slice(1);
  const startWith = async (filling: number) => {
    const issued = await root.issue(options(`${'x'.repeat(CHUNK + filling)}${text}`));
    const at = issued.certificate.indexOf('-----BEGIN');
    const line = issued.certificate.lastIndexOf('\n', at) + 1;
    return { issued, offset: (at - line) % CHUNK };
  };
  // Bytes of key and signature may be line feeds, so that the place of the text is only known afterwards.
  for (let filling = 0, round = 0; round < 50; round += 1) {
    const { issued, offset } = await startWith(filling);
    if (offset === 0) return issued;
    filling = (filling + CHUNK - offset) % CHUNK;
  }
  throw new Error('no place was found');
}

const LABELS = ['CERTIFICATE', 'X509 CERTIFICATE', 'TRUSTED CERTIFICATE'] as const;
const PLACES = [
  ['an unknown extension', unknownExtension],
  ['a SAN rfc822Name', rfc822Name],
  ['a subject attribute', subject],
] as const;

describe('VP:N2 the key of a certificate is the one in its signed part', () => {
  describe.each(PLACES)('whatever PEM stands in %s', (_place, options) => {
    it.each(LABELS.flatMap((label) => [[label, '\n'] as const, [label, '\r\n'] as const]))(
      'label %s, line end %j',
      async (label, end) => {
        const issued = await root.issue(options(pem(label, end)));
        expect(readKeyOf(issued.certificate)).toEqual(publicKeyOf(issued));
      },
    );

    it('without a line break before it, where OpenSSL begins to read anew', async () => {
      const issued = await issueOnBoundary(options);
      expect(readKeyOf(issued.certificate)).toEqual(publicKeyOf(issued));
    });
  });

  it('in x5c, in an intermediate and in the signer of a status list', async () => {
    const honest = await root.issueAuthority({ name: 'CA', extensions: unknownExtension(pem()).extensions ?? [] });
    const forged = await honest.issue({ name: 'Leaf', signingKey: attacker.privateKey });
    const chains = createChainVerifier(anchors, { maxEntries: 4 });
    const x5c = (...chain: { certificate: Buffer }[]) => chain.map(({ certificate }) => certificate.toString('base64'));
    expect(() => chains.verify(x5c(forged, honest), { now, purpose: 'credential' })).toThrow(
      expect.objectContaining({ code: 'chain_signature_invalid' }),
    );
    const signer = await root.issue(rfc822Name(pem()));
    const { leaf, anchor } = chains.verify(x5c(signer), { now, purpose: 'status' });
    expect(anchor).toBe(anchors[0]);
    expect(leaf.publicKey.export({ type: 'spki', format: 'der' })).toEqual(publicKeyOf(signer));
    expect(parseX5c(x5c(signer))[0]?.subjectText).toBe('CN=Leaf');
  });

  it('of an anchor that an operator configured as DER', async () => {
    const { certificate, privateKey } = await createCertificateAuthority({ now, ...subject(pem()) });
    expect(readKeyOf(certificate)).toEqual(publicKeyOf({ privateKey }));
  });
});
