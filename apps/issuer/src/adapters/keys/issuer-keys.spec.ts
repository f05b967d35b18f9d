import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createCertificateAuthority, toPem, type Authority, type IssueOptions } from '@vestibule/dev-pki';
import { noDevice, readIssuerKeyOf, withFolder } from '../../testing/issuer-key.fixture-spec';
import { ISSUER_URL, NOW } from '../../testing/issuer.fixture-spec';
import { issuerKeysOf, readRetiredIssuerKeys } from './issuer-keys';

const DAY = 86_400_000;
const later = (days: number) => new Date(NOW.getTime() + days * DAY);
const fault = (code: string) => expect.objectContaining({ code, kind: 'internal' });

let [oldCa, newCa]: Authority[] = [];
beforeAll(async () => {
  [oldCa, newCa] = await Promise.all(
    ['Old', 'New'].map(async (name) => {
      const root = await createCertificateAuthority({ name: `${name} Root`, now: NOW });
      return root.issueAuthority({ name: `${name} CA` });
    }),
  );
});

async function keyOf(authority: Authority | undefined, options: Partial<IssueOptions> = {}) {
  if (!authority) throw new Error('no authority');
  const issued = await authority.issue({ name: 'Issuer', ...options });
  const pem = toPem([issued.certificate, authority.certificate]);
  return { ...issued, pem, key: readIssuerKeyOf(pem, issued.privateKey) };
}
type Key = Awaited<ReturnType<typeof keyOf>>;
const x5cOf = ({ key }: Key) => key.signerAt(NOW).x5c;

describe('the key that speaks for a status list', () => {
  it('VCI:V3 is that of its credentials, though another authority certifies the current one', async () => {
    const [former, current] = [await keyOf(oldCa), await keyOf(newCa)];
    const keys = issuerKeysOf(current.key, [former.key]);
    expect(keys.listSignerAt(x5cOf(former), NOW).x5c).toEqual(x5cOf(former));
    expect(keys.listSignerAt(x5cOf(current), NOW).x5c).toEqual(x5cOf(current));
    const back = issuerKeysOf(former.key, [current.key]);
    expect(back.listSignerAt(x5cOf(current), NOW).x5c).toEqual(x5cOf(current));
  });

  it('VCI:V3 is the same key with a new certificate, before one of the same authority', async () => {
    const former = await keyOf(oldCa);
    const renewed = await keyOf(newCa, { privateKey: former.privateKey });
    const sibling = await keyOf(oldCa);
    expect(issuerKeysOf(sibling.key, [renewed.key]).listSignerAt(x5cOf(former), NOW).x5c).toEqual(x5cOf(renewed));
    expect(issuerKeysOf(sibling.key, []).listSignerAt(x5cOf(former), NOW).x5c).toEqual(x5cOf(sibling));
  });

  it('VCI:V3 must be valid: an ended certificate gives way to a renewed one', async () => {
    const former = await keyOf(oldCa, { notAfter: later(10) });
    const sibling = await keyOf(oldCa);
    const keys = issuerKeysOf(sibling.key, [former.key]);
    expect(keys.listSignerAt(x5cOf(former), later(9)).x5c).toEqual(x5cOf(former));
    expect(keys.listSignerAt(x5cOf(former), later(11)).x5c).toEqual(x5cOf(sibling));
  });

  it('is none where nobody has it any more, and the current one where it is not known whose the list is', async () => {
    const [former, current] = [await keyOf(oldCa), await keyOf(newCa)];
    const keys = issuerKeysOf(current.key, []);
    expect(() => keys.listSignerAt(x5cOf(former), NOW)).toThrow(fault('status_list_key_missing'));
    expect(keys.listSignerAt(undefined, NOW).x5c).toEqual(x5cOf(current));
  });

  it('is not that of another authority that only bears the same name', async () => {
    const twinRoot = await createCertificateAuthority({ name: 'Old Root', now: NOW });
    const twin = await twinRoot.issueAuthority({ name: 'Old CA' });
    const [former, current] = [await keyOf(oldCa), await keyOf(twin)];
    const keys = issuerKeysOf(current.key, []);
    expect(() => keys.listSignerAt(x5cOf(former), NOW)).toThrow(fault('status_list_key_missing'));
  });
});

describe('readRetiredIssuerKeys', () => {
  const HOW = { issuerUrl: ISSUER_URL, openKey: noDevice };
  const read = (files: Readonly<Record<string, string>>) =>
    withFolder(files, (folder) => readRetiredIssuerKeys(folder, HOW));

  it('reads every pair, also one that has ended, and passes other files over', async () => {
    const [valid, ended] = [await keyOf(oldCa), await keyOf(oldCa)];
    const issued = await oldCa?.issue({ name: 'Issuer', notBefore: later(-9), notAfter: later(-1) });
    const files = {
      'a.pem': valid.pem,
      'a-key.pem': toPem(valid.privateKey),
      'b.pem': toPem([issued?.certificate as Buffer, oldCa?.certificate as Buffer]),
      'b-key.pem': toPem(issued?.privateKey as never),
      'notes.txt': ended.pem,
      '.hidden.pem': 'nothing',
    };
    const keys = read(files);
    expect(keys).toHaveLength(2);
    expect(keys.map((key) => key.isValidAt(NOW)).sort()).toEqual([false, true]);
  });

  it.each([
    ['a certificate without its key', 'a.pem'],
    ['a key without its certificate', 'a-key.pem'],
  ])('does not pass over %s', async (_what, name) => {
    const { pem, privateKey } = await keyOf(oldCa);
    const text = name === 'a.pem' ? pem : toPem(privateKey);
    expect(() => read({ [name]: text })).toThrow(expect.objectContaining({ detail: expect.stringContaining('a') }));
  });

  it('names the file of a pair that does not fit, and a folder that is not there', async () => {
    const [one, two] = [await keyOf(oldCa), await keyOf(oldCa)];
    const wrong = { 'a.pem': one.pem, 'a-key.pem': toPem(two.privateKey) };
    const detail = expect.stringContaining('a.pem') as string;
    expect(() => read(wrong)).toThrow(expect.objectContaining({ code: 'signing_key_mismatch', detail }));
    withFolder({}, (folder) => {
      const nowhere = path.join(folder, 'none');
      expect(() => readRetiredIssuerKeys(nowhere, HOW)).toThrow(fault('certificate_file_invalid'));
      writeFileSync(nowhere, '');
      expect(() => readRetiredIssuerKeys(nowhere, HOW)).toThrow(fault('certificate_file_invalid'));
    });
  });
});
