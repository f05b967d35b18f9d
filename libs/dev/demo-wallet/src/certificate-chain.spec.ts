import { createPublicKey, type KeyObject } from 'node:crypto';
import { createCertificateAuthority, createSelfSignedLeaf, toPem, type Authority } from '@vestibule/dev-pki';
import { authorityKeyIdentifiers, checkChain, parseX5c, publicJwkOf } from './certificate-chain';

const now = new Date('2026-03-01T12:00:00Z');
const code = (expected: string) => expect.objectContaining({ code: expected });
const encode = (...ders: readonly Uint8Array[]) => ders.map((der) => Buffer.from(der).toString('base64'));
const jwkOf = (key: KeyObject) => createPublicKey(key).export({ format: 'jwk' });

let root: Authority;
let ca: Authority;
beforeAll(async () => {
  root = await createCertificateAuthority({ name: 'Root', now });
  ca = await root.issueAuthority({ name: 'CA' });
});

it('reads the certified key of a certificate that carries another one as PEM', async () => {
  const other = await createSelfSignedLeaf({ name: 'Other', now });
  const value = Buffer.from(`\n${toPem(other.certificate)}`);
  const { certificate, privateKey } = await ca.issue({
    name: 'Verifier',
    extensions: [{ oid: '1.2.3', critical: false, value }],
  });
  const [leaf] = parseX5c(encode(certificate));
  expect(publicJwkOf(leaf)).toEqual(jwkOf(privateKey));
});

it('accepts a chain in order, and names the keys that issued it', async () => {
  const leaf = await ca.issue({ name: 'Verifier' });
  const chain = parseX5c(encode(leaf.certificate, ca.certificate));
  expect(() => checkChain(chain, { now, trustAnchors: [root.certificate] })).not.toThrow();
  expect(authorityKeyIdentifiers(chain)).toHaveLength(2);
});

it.each<readonly [string, () => Promise<readonly string[]>, string]>([
  [
    'whose leaf another key signed',
    async () => encode((await ca.issue({ name: 'V', signingKey: root.privateKey })).certificate, ca.certificate),
    'certificate_chain_invalid',
  ],
  [
    'below a leaf',
    async () => {
      const leaf = await root.issueAuthority({ name: 'Leaf', ca: false });
      return encode((await leaf.issue({ name: 'V' })).certificate, leaf.certificate);
    },
    'certificate_chain_invalid',
  ],
  [
    'below an authority that may not certify',
    async () => {
      const odd = await root.issueAuthority({ name: 'Odd', keyUsages: ['cRLSign'] });
      return encode((await odd.issue({ name: 'V' })).certificate, odd.certificate);
    },
    'certificate_chain_invalid',
  ],
  ['with its root', async () => encode(ca.certificate, root.certificate), 'certificate_chain_invalid'],
  [
    'that has expired',
    async () => encode((await ca.issue({ name: 'V', notAfter: new Date(now.getTime() - 1000) })).certificate),
    'certificate_expired',
  ],
  [
    'of nobody who is trusted',
    async () =>
      encode((await (await createCertificateAuthority({ name: 'Root', now })).issue({ name: 'V' })).certificate),
    'certificate_untrusted',
  ],
])('refuses a chain %s', async (_what, make, expected) => {
  const chain = parseX5c(await make());
  expect(() => checkChain(chain, { now, trustAnchors: [root.certificate] })).toThrow(code(expected));
});

it('refuses what is not exactly one DER certificate', () => {
  const { certificate } = root;
  const pem = Buffer.from(toPem(certificate));
  for (const bytes of [
    pem,
    Buffer.concat([certificate, Buffer.of(0)]),
    certificate.subarray(0, -1),
    Buffer.of(0x30, 0),
  ])
    expect(() => parseX5c(encode(bytes))).toThrow(code('x5c_malformed'));
});
