import { createCertificateAuthority, createPrivateKeyOf, toPem } from '@vestibule/dev-pki';
import { ProcessingFailure } from '@vestibule/foundation';
import { until } from '@vestibule/testkit';
import {
  createFolder,
  createMemoryLogger,
  faultOf,
  issueFor,
  noDevice,
  type Folder,
} from '../../testing/key-files.fixture-spec';
import { noLists } from '../../testing/trusted-lists.fixture-spec';
import { registrationJwt } from '../../testing/registration.fixture-spec';
import { at, createWorld, failsWith, NOW, type World } from '../../testing/verifier.fixture-spec';
import { openKeys, type KeysOptions } from './open-keys';

let world: World;
let files: Folder;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  world = await createWorld();
});
beforeEach(() => {
  files = createFolder();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  files.remove();
});

/** Keys that look at their files fifty times a second. */
async function open(validDays: readonly [number, number] = [-1, 300], more: Partial<KeysOptions> = {}) {
  const { pem, privateKey } = await issueFor(world.pki, validDays);
  files.write('root.pem', toPem(world.pki.root.certificate));
  files.write('trust.json', JSON.stringify({ policy: 'enforce', anchors: [{ file: 'root.pem' }] }));
  files.write('more/.keep', '');
  const logger = createMemoryLogger();
  const time = { now: NOW };
  const keys = await openKeys({
    skewSeconds: 60,
    certificateFile: files.write('main.pem', pem),
    key: toPem(privateKey),
    openKey: noDevice,
    folder: files.fileOf('more'),
    allowSelfSigned: false,
    trustFile: files.fileOf('trust.json'),
    reloadSeconds: 0.02,
    clock: () => time.now,
    logger,
    lists: noLists(),
    ...more,
  });
  closing.push(() => keys.close());
  return { ...keys, logger, time, anchors: () => keys.trust().chains.anchors.map((anchor) => anchor.certificate.der) };
}

describe('keys that follow their files', () => {
  it('VP:A9 VP:N12 trust is what the file and its anchors say now', async () => {
    const { trust, anchors } = await open();
    expect(anchors()).toEqual([world.pki.root.certificate]);
    const other = await createCertificateAuthority({ name: 'Other', now: NOW });
    files.write('root.pem', toPem(other.certificate));
    await until(() => anchors()[0]?.equals(other.certificate) ?? false);
    const anchor = { file: 'root.pem', purposes: ['status'], vcts: ['urn:example:b:1'] };
    files.write('trust.json', JSON.stringify({ policy: 'report', anchors: [anchor] }));
    await until(() => trust().policy === 'report');
    expect(trust().chains.anchors).toMatchObject([{ purposes: ['status'], vcts: ['urn:example:b:1'] }]);
  });

  it('VP:A9 a trust file that breaks is named with its fault, once, and what was trusted stays', async () => {
    let looks = 0;
    const { trust, logger } = await open(undefined, { clock: () => ((looks += 1), NOW) });
    const before = trust();
    files.write('trust.json', JSON.stringify({ anchors: [{ file: 'root.pem' }, { file: 'missing.pem' }] }));
    await until(() => logger.lines.length > 0);
    const seen = looks;
    // A look asks for the time more than once; many have found the same broken file.
    await until(() => looks > seen + 20);
    expect(trust()).toBe(before);
    expect(logger.lines).toEqual([
      {
        level: 'error',
        message: expect.any(String),
        fields: { what: 'trust', error: failsWith('trust_file_invalid') },
      },
    ]);
    expect(logger.lines[0]?.fields.error).toMatchObject({
      detail: expect.stringMatching(/trust\.json.*anchors\[1\]\.file/),
    });
  });

  it('VP:A7 an access certificate that comes signs, and a broken one that comes does not disturb', async () => {
    const { certificate, logger } = await open();
    const former = certificate.currentClientId(NOW);
    const next = await issueFor(world.pki, [-0.5, 300]);
    files.write('more/next-key.pem', toPem(createPrivateKeyOf('P-256')));
    files.write('more/next.pem', next.pem);
    await until(() => logger.levels().includes('error'));
    expect(certificate.currentClientId(NOW)).toBe(former);
    files.write('more/next-key.pem', toPem(next.privateKey));
    await until(() => certificate.currentClientId(NOW) !== former);
    expect(certificate.signerOf(former, NOW).x5c).toHaveLength(1);
    expect(certificate.isValidAt(NOW)).toBe(true);
  });

  it('VP:A4 warns of the end at the start, and again the next day', async () => {
    const { logger, time, certificate } = await open([-300, 20]);
    expect(logger.lines.map(({ fields }) => fields.daysLeft)).toEqual([20]);
    time.now = at(86_400);
    await until(() => logger.lines.length > 1);
    expect(logger.lines.map(({ fields }) => fields.daysLeft)).toEqual([20, 19]);
    expect(certificate.validUntil(NOW)).toEqual(at(20 * 86_400));
  });

  it('18.5 registrations are what their file says now; an end is warned of', async () => {
    const file = (id: string, exp: number) => {
      files.write('login.jwt', registrationJwt({ exp }));
      return files.write('registration.json', JSON.stringify({ registrations: [{ id, certificate: 'login.jwt' }] }));
    };
    const registrationFile = file('login', at(9.5 * 86_400).getTime() / 1000);
    const { registrations, logger, time } = await open(undefined, { registrationFile });
    expect(registrations().all.map(({ id }) => id)).toEqual(['login']);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { daysLeft: 9 } }]);
    time.now = at(10 * 86_400);
    await until(() => logger.levels().includes('error'));
    file('age', at(300 * 86_400).getTime() / 1000);
    await until(() => registrations().all[0]?.id === 'age');
    expect((await open()).registrations().all).toEqual([]);
  });

  it('VP:A9 do not open without a trust file', async () => {
    const opened = open(undefined, { trustFile: files.fileOf('none.json') });
    await expect(opened).rejects.toEqual(failsWith('trust_file_invalid'));
  });

  it('VP:A4 do not open without a valid certificate, and follow nothing after they were closed', async () => {
    await expect(open([-20, -1])).rejects.toEqual(failsWith('signing_certificate_expired'));
    const { trust } = await open();
    for (const close of closing.splice(0)) await close();
    const later = await open();
    files.write('trust.json', JSON.stringify({ policy: 'report', anchors: [] }));
    await until(() => later.trust().policy === 'report');
    expect(trust().policy).toBe('enforce');
    expect(faultOf(() => trust().chains.verify([], { now: NOW, purpose: 'status' }))).toEqual(
      failsWith('x5c_malformed'),
    );
  });

  it('VP:A3 a new access certificate takes effect when its key has signed, and not before', async () => {
    const state = { isAway: false, checks: 0 };
    const signing = {
      sign: () => Buffer.alloc(64),
      requireReady: () => undefined,
      check: async () => {
        state.checks += 1;
        if (state.isAway) throw new ProcessingFailure('signer_unavailable', 'away');
      },
    };
    const { certificate, logger } = await open([-1, 300], { openKey: () => ({ signerOf: () => signing }) });
    const before = certificate.currentClientId(NOW);
    const fresh = await issueFor(world.pki, [0, 400]);
    state.isAway = true;
    files.write('more/fresh-key.json', '{}');
    files.write('more/fresh.pem', fresh.pem);
    await until(() => state.checks > 1);
    expect(certificate.currentClientId(NOW)).toBe(before);
    state.isAway = false;
    await until(() => certificate.currentClientId(NOW) !== before);
    const faults = logger.lines.filter(({ level }) => level === 'error');
    expect(faults.map(({ fields }) => (fields['error'] as { code: string }).code)).toContain('signer_unavailable');
    await expect(open([-1, 300], { key: '{}', openKey: () => ({ signerOf: () => signing }) })).resolves.toBeDefined();
    state.isAway = true;
    await expect(open([-1, 300], { key: '{}', openKey: () => ({ signerOf: () => signing }) })).rejects.toEqual(
      failsWith('signer_unavailable'),
    );
  });
});
