import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDevelopmentPki, issueDevelopmentLeaf, toPem, type DevelopmentPki } from '@vestibule/dev-pki';
import { noDevice, readIssuerKeyOf } from '../../testing/issuer-key.fixture-spec';
import { ISSUER_URL, NOW } from '../../testing/issuer.fixture-spec';
import { readAccessKey, type AccessKeyConfiguration } from './access-key';

const HOSTS = { hosts: ['c.example.com'], uris: [ISSUER_URL] };
let pki: DevelopmentPki;
let folder: string;
beforeAll(async () => {
  pki = await createDevelopmentPki({ now: NOW, ...HOSTS });
  folder = mkdtempSync(path.join(tmpdir(), 'vestibule-access-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const leaf = (privateKey?: DevelopmentPki['issuer']['privateKey']) =>
  issueDevelopmentLeaf(pki.intermediate, 'issuer-access', { now: NOW, ...HOSTS, privateKey });
const pemOf = ({ chain }: Pick<DevelopmentPki['issuer'], 'chain'>) => toPem([...chain]);
const invalid = expect.objectContaining({ code: 'issuer_access_key_invalid' });

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** Reads it beside the issuer's key, with a clock and a log that the test holds. */
function read(configuration: AccessKeyConfiguration, needed: string | undefined = ISSUER_URL) {
  const world = { now: NOW, lines: [] as string[] };
  const note = (text: string) => void world.lines.push(text);
  const issuer = readIssuerKeyOf(pemOf(pki.issuer), pki.issuer.privateKey);
  const certified = () => [issuer];
  const options = { needed, certified, openKey: noDevice, clock: () => world.now, logger: { info: note, error: note } };
  return { world, access: readAccessKey(configuration, options) };
}

const given = async (made = leaf()) => {
  const issued = await made;
  const accessCertificateFile = write('access.pem', pemOf(issued));
  return { issued, configuration: { accessCertificateFile, accessKey: toPem(issued.privateKey) } };
};

describe('readAccessKey', () => {
  it('signs with its own key, until its certificate ends', async () => {
    const { issued, configuration } = await given();
    const { access } = read(configuration);
    expect(access?.signerAt(NOW).x5c).toEqual(issued.chain.map((der) => der.toString('base64')));
    expect(access?.isValidAt(access.endsAt())).toBe(true);
    expect(access?.isValidAt(new Date(access.endsAt().getTime() + 1_000))).toBe(false);
  });

  it('is nothing where it is not needed and not configured, and a fault where it is needed', () => {
    const issuer = readIssuerKeyOf(pemOf(pki.issuer), pki.issuer.privateKey);
    const certified = () => [issuer];
    const logger = { info: () => undefined, error: () => undefined };
    const without = { needed: undefined, certified, openKey: noDevice, clock: () => NOW, logger };
    expect(readAccessKey({}, without)).toBeUndefined();
    expect(() => readAccessKey({}, { ...without, needed: ISSUER_URL })).toThrow(invalid);
  });

  it('needs both its certificate and its key', async () => {
    const { configuration } = await given();
    const { accessCertificateFile, accessKey } = configuration;
    expect(() => read({ accessCertificateFile })).toThrow(invalid);
    expect(() => read({ accessKey })).toThrow(invalid);
  });

  it('must not be the key of the credentials, whatever its certificate', async () => {
    const { configuration } = await given(leaf(pki.issuer.privateKey));
    expect(() => read(configuration)).toThrow(invalid);
  });

  it('takes a renewed certificate of its key without a restart, and keeps the previous one while a file is broken', async () => {
    const { issued, configuration } = await given();
    const { world, access } = read(configuration);
    const first = access?.signerAt(NOW).x5c[0];
    const renewed = await leaf(issued.privateKey);
    write('access.pem', pemOf(renewed));
    expect(access?.signerAt(NOW).x5c[0]).toBe(first);
    world.now = new Date(NOW.getTime() + 5_000);
    expect(access?.signerAt(world.now).x5c[0]).toBe(renewed.certificate.toString('base64'));
    write('access.pem', pemOf(pki.issuer));
    for (const seconds of [10, 15, 20]) {
      world.now = new Date(NOW.getTime() + seconds * 1_000);
      expect(access?.signerAt(world.now).x5c[0]).toBe(renewed.certificate.toString('base64'));
    }
    expect(world.lines).toEqual([
      'changed files were loaded',
      'changed files cannot be used; the previous version stays in effect',
    ]);
  });
});
