import 'reflect-metadata';
import { generateKeyPairSync, sign, webcrypto, type KeyObject } from 'node:crypto';
import { KeyUsagesExtension, Pkcs10CertificateRequest, SubjectAlternativeNameExtension } from '@peculiar/x509';
import { localSigner } from '@vestibule/crypto';
import { certificateRequestCommand, type CertificateRequestParts } from './certificate-request-command';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'pkcs8' }) as string;
const SUBJECT = ['--subject', 'CN=Shop, O=Shop\\, Inc., organizationIdentifier=VATDE-123456789, C=DE'];
const ACCESS = ['--for', 'access', ...SUBJECT];

const parts = (changes: Partial<CertificateRequestParts> = {}): CertificateRequestParts => ({
  keys: {
    access: { variable: 'ACCESS_KEY', key: pem(privateKey) },
    issuer: { variable: 'ISSUER_KEY', key: pem(privateKey), uri: 'https://issuer.example/a' },
  },
  openKey: () => {
    throw new RangeError('no description here');
  },
  readFile: () => Buffer.from(pem(stranger.privateKey)),
  ...changes,
});
const device = (signing = localSigner(privateKey)) =>
  parts({
    keys: { access: { variable: 'ACCESS_KEY', key: '{"provider":"pkcs11"}' } },
    openKey: () => ({ readPublicKey: () => Promise.resolve(publicKey), signerOf: () => signing }),
  });

/** What a second implementation reads in a request, whose signature it has verified. */
async function read(text: string) {
  const request = new Pkcs10CertificateRequest(text);
  expect(await request.verify(webcrypto as never)).toBe(true);
  const rawOf = (oid: string) => request.extensions.find(({ type }) => type === oid)?.rawData;
  const [usage, alternatives] = [rawOf('2.5.29.15'), rawOf('2.5.29.17')];
  const names = alternatives && new SubjectAlternativeNameExtension(alternatives).names.toJSON();
  return {
    subject: request.subject,
    usage: usage && new KeyUsagesExtension(usage),
    names: names?.map(({ type, value }) => `${type} ${value}`),
    extensions: request.extensions.map(({ type }) => type),
    spki: Buffer.from(request.publicKey.rawData).toString('hex'),
  };
}
const spkiOf = (key: KeyObject) => key.export({ type: 'spki', format: 'der' }).toString('hex');
const make = async (argv: readonly string[], with_ = parts()) => read(await certificateRequestCommand(argv, with_));

describe('a certification request', () => {
  it('asks for the subject in its order, digitalSignature and the names, and for nothing else', async () => {
    const names = [
      '--dns',
      'shop.example, www.shop.example',
      '--uri',
      'https://shop.example/help',
      '--email',
      'a@shop.example',
    ];
    const { subject, usage, names: found, extensions, spki } = await make([...ACCESS, ...names]);
    expect(subject).toBe('CN=Shop, O=Shop\\, Inc., 2.5.4.97=VATDE-123456789, C=DE');
    expect([usage?.usages, usage?.critical]).toEqual([1, true]);
    expect(found).toEqual([
      'dns shop.example',
      'dns www.shop.example',
      'url https://shop.example/help',
      'email a@shop.example',
    ]);
    expect([extensions, spki]).toEqual([['2.5.29.15', '2.5.29.17'], spkiOf(publicKey)]);
  });

  it('asks for no alternative names where there are none', async () => {
    expect((await make(ACCESS)).extensions).toEqual(['2.5.29.15']);
  });

  it('names the issuer in the certificate of credentials, unless other addresses are given', async () => {
    const issuer = ['--for', 'issuer', ...SUBJECT];
    expect((await make(issuer)).names).toEqual(['url https://issuer.example/a']);
    expect((await make([...issuer, '--uri', 'https://b.example/'])).names).toEqual(['url https://b.example/']);
  });

  it('is signed by a key in a device, and by one that is not configured yet', async () => {
    expect((await make(ACCESS, device())).spki).toBe(spkiOf(publicKey));
    expect((await make([...ACCESS, '--key-file', 'next.pem'])).spki).toBe(spkiOf(stranger.publicKey));
  });

  it('with numbers of every length, its signature is DER', async () => {
    for (let count = 0; count < 64; count += 1) await make(ACCESS);
  });

  it('is not made if the device signs with another key than the one that it shows', async () => {
    const wrong = localSigner(stranger.privateKey);
    await expect(certificateRequestCommand(ACCESS, device(wrong))).rejects.toMatchObject({ code: 'signature_invalid' });
    const der = { ...wrong, sign: (input: Uint8Array) => sign('sha256', input, privateKey) };
    await expect(certificateRequestCommand(ACCESS, device(der))).rejects.toMatchObject({ code: 'signature_invalid' });
  });

  it.each<[string, string]>([
    ['another curve', pem(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey)],
    ['RSA', pem(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey)],
    ['a public key', publicKey.export({ format: 'pem', type: 'spki' }) as string],
    ['no key', 'canary'],
  ])('is not made for %s', async (_what, key) => {
    const failed = certificateRequestCommand(
      [...ACCESS, '--key-file', 'x'],
      parts({ readFile: () => Buffer.from(key) }),
    );
    await expect(failed).rejects.toMatchObject({
      code: 'signing_key_not_p256',
      detail: expect.not.stringMatching(/canary/) as string,
    });
  });

  it.each<[string, readonly string[], RegExp]>([
    ['an unknown use', ['--for', 'tls', ...SUBJECT], /--for must be one of: access, issuer/],
    ['a name from the prototype', ['--for', 'constructor', ...SUBJECT], /--for must be/],
    ['no use', SUBJECT, /--for must be/],
    ['no subject', ['--for', 'access'], /--subject is missing/],
    ['an unknown option', [...ACCESS, '--eku', '1.2'], /unknown option; known: --for/],
    ['a word', [...ACCESS, 'x', 'y'], /unknown option/],
    ['an option twice', [...ACCESS, '--for', 'issuer'], /--for is there twice/],
    ['an option without value', [...ACCESS, '--dns'], /--dns needs a value/],
    ['a host that is none', [...ACCESS, '--dns', 'shop example'], /--dns must be host names/],
    ['a wildcard', [...ACCESS, '--dns', '*.shop.example'], /--dns must be host names/],
    ['half a list', [...ACCESS, '--dns', 'shop.example,'], /--dns must be host names/],
    ['another scheme', [...ACCESS, '--uri', 'javascript:alert(1)'], /--uri must be absolute http or https URLs/],
    ['a path', [...ACCESS, '--uri', '/help'], /--uri must be/],
    ['a URL with a line break', [...ACCESS, '--uri', 'https://shop.example/\nx'], /--uri must be/],
    ['no address', [...ACCESS, '--email', 'shop.example'], /--email must be email addresses/],
    ['two addresses in one', [...ACCESS, '--email', 'a@b@c.example'], /--email must be email addresses/],
    ['too many names', [...ACCESS, '--dns', Array(21).fill('a.example').join()], /more than 20 names/],
  ])('is not made for %s, and no key is read', async (_what, argv, reason) => {
    const readFile = jest.fn();
    const failed = certificateRequestCommand(argv, parts({ readFile }));
    await expect(failed).rejects.toMatchObject({
      code: 'command_invalid',
      detail: expect.stringMatching(reason) as string,
    });
    expect(readFile).not.toHaveBeenCalled();
  });

  it('is not made where the key file cannot be read, and says which', async () => {
    const readFile = (_file: string, fail: (reason: string) => Error) => {
      throw fail('cannot be read (ENOENT)');
    };
    const failed = certificateRequestCommand([...ACCESS, '--key-file', 'next.pem'], parts({ readFile }));
    await expect(failed).rejects.toMatchObject({
      code: 'command_invalid',
      detail: '--key-file: next.pem cannot be read (ENOENT)',
    });
  });

  it('is not made for a key that is not configured', async () => {
    const none = parts({ keys: { access: { variable: 'ISSUER_ACCESS_KEY', key: undefined } } });
    await expect(certificateRequestCommand(ACCESS, none)).rejects.toMatchObject({
      code: 'command_invalid',
      detail: 'ISSUER_ACCESS_KEY is not set, and there is no --key-file',
    });
  });
});
