import { createCertificateAuthority, toPem, type Authority } from '@vestibule/dev-pki';
import { encodeX5c, MAX_CHAIN_LENGTH, parseCertificate, parsePemCertificates, parseX5c } from './index';

const now = new Date('2026-03-01T12:00:00Z');
const code = (expected: string) => expect.objectContaining({ code: expected });

let root: Authority;
let text: string;
beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  text = root.certificate.toString('base64');
});

describe('parseX5c', () => {
  it('VP:N1 reads an array of padded standard base64 of DER, in its order', async () => {
    const leaf = await root.issue({ name: 'Leaf' });
    const chain = parseX5c([leaf.certificate.toString('base64'), text]);
    expect(chain.map(({ der }) => der)).toEqual([leaf.certificate, root.certificate]);
    expect(parseX5c(encodeX5c(chain))).toEqual(chain);
  });

  it('VP:N1 refuses an empty array (sd:neg-x5c-empty)', () => {
    expect(() => parseX5c([])).toThrow(code('x5c_malformed'));
  });

  it('VP:N1 refuses base64url (sd:neg-x5c-base64url)', async () => {
    // Two certificates at least: one of them alone may happen to need no character that the alphabets differ in.
    const issued = await Promise.all(Array.from({ length: 8 }, () => root.issue({ name: 'Leaf' })));
    const differing = issued.map(({ certificate }) => certificate).find((der) => der.toString('base64').match(/[+/=]/));
    const encoded = differing?.toString('base64url');
    expect(encoded).toBeDefined();
    expect(() => parseX5c([encoded])).toThrow(code('x5c_malformed'));
  });

  it('VP:N1 refuses PEM (sd:neg-x5c-pem)', () => {
    expect(() => parseX5c([toPem(root.certificate)])).toThrow(code('x5c_malformed'));
    expect(() => parseX5c([Buffer.from(toPem(root.certificate)).toString('base64')])).toThrow(
      code('certificate_malformed'),
    );
  });

  it('VP:N1 refuses white space inside the base64', () => {
    expect(() => parseX5c([`${text.slice(0, 64)}\n${text.slice(64)}`])).toThrow(code('x5c_malformed'));
  });

  it('VP:N1 refuses everything that is not an array of strings', () => {
    for (const value of [undefined, null, text, { 0: text, length: 1 }, [1], [[text]], [text, null], ['']]) {
      expect(() => parseX5c(value)).toThrow(code('x5c_malformed'));
    }
  });

  it('VP:N1 refuses more than four certificates and overlong ones', () => {
    expect(parseX5c(Array(MAX_CHAIN_LENGTH).fill(text))).toHaveLength(4);
    expect(() => parseX5c(Array(MAX_CHAIN_LENGTH + 1).fill(text))).toThrow(code('x5c_malformed'));
    expect(() => parseX5c(['AAAA'.repeat(6_000)])).toThrow(code('x5c_malformed'));
  });

  it('VP:A5 encodes standard base64 with padding', () => {
    expect(encodeX5c([parseCertificate(root.certificate)])).toEqual([text]);
  });
});

describe('parsePemCertificates', () => {
  it('reads every certificate of a file and ignores other blocks and text', async () => {
    const leaf = await root.issue({ name: 'Leaf' });
    const file = `subject=Leaf\r\n${toPem(leaf.certificate)}${toPem(leaf.privateKey)}${toPem(root.certificate)}`;
    const read = parsePemCertificates(file.replaceAll('\n', '\r\n'));
    expect(read.map(({ der }) => der)).toEqual([leaf.certificate, root.certificate]);
  });

  it('refuses a file without certificates, with a broken one, or with a block that does not end', () => {
    const pem = toPem(root.certificate);
    const broken = toPem(Buffer.from('not a certificate'));
    for (const file of ['', toPem(root.privateKey), pem + broken, pem + pem.slice(0, 100), pem.replace('M', '=')]) {
      expect(() => parsePemCertificates(file)).toThrow(code('certificate_file_invalid'));
    }
  });
});
