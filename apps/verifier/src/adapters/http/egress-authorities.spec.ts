import { createCertificateAuthority, toPem, type Authority } from '@vestibule/dev-pki';
import { createFolder, faultOf, type Folder } from '../../testing/key-files.fixture-spec';
import { readEgressAuthorities } from './egress-authorities';

let folder: Folder;
let first: Authority;
let second: Authority;
beforeAll(async () => {
  folder = createFolder();
  first = await createCertificateAuthority({ name: 'First', now: new Date() });
  second = await createCertificateAuthority({ name: 'Second', now: new Date(), keyType: 'RSA-2048' });
});
afterAll(() => folder.remove());

it('VP:Q5 the authorities of a file are read, with any key and whatever text stands between them', () => {
  const [one, other] = [toPem(first.certificate), toPem(second.certificate)];
  const file = folder.write('two.pem', `# Company roots\r\n${one.replaceAll('\n', '\r\n')}\n# another\n${other}`);
  expect(readEgressAuthorities(file)).toEqual([one, other]);
});

it.each<readonly [string, string | undefined, string]>([
  ['is missing', undefined, 'certificate_file_invalid'],
  ['is empty', '', 'certificate_file_invalid'],
  ['holds no certificate', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n', 'certificate_file_invalid'],
  [
    'holds something else as a certificate',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    'certificate_file_invalid',
  ],
])('VP:Q5 a file that %s is a fault that names it', (_what, text, code) => {
  const file = text === undefined ? folder.fileOf('nowhere.pem') : folder.write('wrong.pem', text);
  const fault = faultOf(() => readEgressAuthorities(file));
  expect(fault.code).toBe(code);
  expect(fault.detail).toContain(file);
});

it('VP:Q5 a certificate that is no authority is a fault: TLS would never use it', async () => {
  const leaf = await first.issue({ name: 'Host', dnsNames: ['issuer.example'] });
  const file = folder.write('leaf.pem', toPem([first.certificate, leaf.certificate]));
  const fault = faultOf(() => readEgressAuthorities(file));
  expect([fault.code, fault.detail.includes(file)]).toEqual(['trust_anchor_invalid', true]);
});
