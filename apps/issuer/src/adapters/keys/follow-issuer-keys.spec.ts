import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCertificateAuthority, toPem, type Authority, type IssueOptions } from '@vestibule/dev-pki';
import type { LogFields, Metrics } from '@vestibule/process';
import { DomainError } from '@vestibule/foundation';
import type { OpenKey } from '@vestibule/x509-trust';
import { noDevice } from '../../testing/issuer-key.fixture-spec';
import { ISSUER_URL, NOW } from '../../testing/issuer.fixture-spec';
import type { IssuerKey } from './issuer-key';
import { followIssuerKeys, type FollowedIssuerKeys } from './follow-issuer-keys';

const HOUR = 3_600_000;
const at = (hours: number) => new Date(NOW.getTime() + hours * HOUR);
const BROKEN = 'changed files cannot be used; the previous version stays in effect';

let authority: Authority;
beforeAll(async () => {
  authority = await createCertificateAuthority({ name: 'CA', now: NOW });
});

let folder: string;
let closing: FollowedIssuerKeys[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vestibule-rotation-'));
  mkdirSync(path.join(folder, 'more'));
});
afterEach(async () => {
  await Promise.all(closing.map((keys) => keys.close()));
  closing = [];
  rmSync(folder, { recursive: true });
});
const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);

async function issue(name: string, from: number, more: Partial<IssueOptions> = {}) {
  const issued = await authority.issue({ name, notBefore: at(from), notAfter: at(from + 10_000), ...more });
  const chain = [issued.certificate];
  const x5c = chain.map((der) => der.toString('base64'));
  return { pem: toPem(chain), keyPem: toPem(issued.privateKey), privateKey: issued.privateKey, x5c };
}
type Pair = Awaited<ReturnType<typeof issue>>;
function add(name: string, { pem, keyPem }: Pair): void {
  write(`more/${name}-key.pem`, keyPem);
  write(`more/${name}.pem`, pem);
}

/** A pair whose key is in a device that is away. */
function addInDevice(name: string, { pem }: Pair): void {
  write(`more/${name}-key.json`, '{}');
  write(`more/${name}.pem`, pem);
}
const isAway = () =>
  Promise.reject(new DomainError({ kind: 'unavailable', code: 'signer_unavailable', detail: 'away' }));
const away = { signerOf: () => ({ requireReady: () => undefined, sign: isAway, check: isAway }) };

interface Given {
  readonly openKey?: OpenKey;
  /** The most characters of a chain with which credentials fit into an answer. */
  readonly mostCharacters?: number;
}

const lengthOf = ({ chain }: IssuerKey) => chain.reduce((total, { der }) => total + der.toString('base64').length, 0);

async function follow(first: Pair, { openKey = noDevice, mostCharacters = Infinity }: Given = {}) {
  write('issuer.pem', first.pem);
  const world = { now: NOW };
  const lines: { message: string; fields: LogFields }[] = [];
  const log = (message: string, fields: LogFields = {}): void => void lines.push({ message, fields });
  let read: Parameters<Metrics['gauges']>[3] = () => [];
  const keys = await followIssuerKeys({
    places: {
      certificateFile: path.join(folder, 'issuer.pem'),
      key: first.keyPem,
      certificatesFolder: path.join(folder, 'more'),
    },
    issuerUrl: ISSUER_URL,
    openKey,
    requireRoom: (key) => {
      if (lengthOf(key) <= mostCharacters) return;
      throw new DomainError({ kind: 'internal', code: 'credential_answer_too_large', detail: 'no batch fits' });
    },
    reloadSeconds: 3_600,
    clock: () => world.now,
    logger: { debug: log, info: log, warn: log, error: log },
    metrics: { gauges: (_name, _help, _label, look) => void (read = look) },
  });
  closing.push(keys);
  return { keys, world, lines, unusable: () => read(), signing: () => keys.current.signerAt(world.now).x5c };
}

describe('the certificates of an issuer', () => {
  it('VCI:V3 take turns without a restart: the newest valid one signs credentials, the others their status lists', async () => {
    const [old, newer] = [await issue('Old', -2), await issue('New', -1)];
    const { keys, signing, world } = await follow(old);
    expect(signing()).toEqual(old.x5c);
    add('new', newer);
    expect(signing()).toEqual(old.x5c);
    await keys.refresh();
    expect(signing()).toEqual(newer.x5c);
    expect(keys.listSignerAt(old.x5c, world.now).x5c).toEqual(old.x5c);
    expect(keys.listSignerAt(newer.x5c, world.now).x5c).toEqual(newer.x5c);
    expect(keys.retired.map(({ chain }) => chain[0]?.der.toString('base64'))).toEqual([old.x5c[0]]);
  });

  it('VCI:V3 begin to sign when they become valid, without a change of any file', async () => {
    const [old, next] = [await issue('Old', -2), await issue('Next', 5)];
    const { keys, signing, world } = await follow(old);
    add('next', next);
    await keys.refresh();
    expect(signing()).toEqual(old.x5c);
    world.now = at(5);
    expect(signing()).toEqual(next.x5c);
  });

  it('VCI:V3 give way to the next newest when they end', async () => {
    const [old, short] = [await issue('Old', -2), await issue('Short', -1, { notAfter: at(3) })];
    const { keys, signing, world } = await follow(old);
    add('short', short);
    await keys.refresh();
    expect(signing()).toEqual(short.x5c);
    world.now = at(4);
    expect(signing()).toEqual(old.x5c);
  });

  it('VCI:V3 are renewed for the same key in the file of the first one', async () => {
    const old = await issue('Old', -2);
    const { keys, signing } = await follow(old);
    const renewed = await issue('Renewed', -1, { privateKey: old.privateKey });
    write('issuer.pem', renewed.pem);
    await keys.refresh();
    expect(signing()).toEqual(renewed.x5c);
  });

  it.each<[string, (other: Pair) => void]>([
    ['half a pair', ({ pem }) => write('more/new.pem', pem)],
    ['another key', ({ pem }) => (write('more/new.pem', pem), write('more/new-key.pem', 'x'))],
    ['no certificate in the first file', () => write('issuer.pem', 'canary')],
    ['a certificate for another key', ({ pem }) => write('issuer.pem', pem)],
  ])('stay as they are while the files are broken, which log and metrics show: %s', async (_what, spoil) => {
    const [old, other] = [await issue('Old', -2), await issue('Other', -1)];
    const { keys, signing, lines, unusable } = await follow(old);
    expect(unusable()).toEqual([['issuer certificates', 0]]);
    spoil(other);
    await keys.refresh();
    await keys.refresh();
    expect(signing()).toEqual(old.x5c);
    expect(unusable()).toEqual([['issuer certificates', 1]]);
    expect(lines.filter(({ message }) => message === BROKEN)).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain('canary');
    write('issuer.pem', old.pem);
    add('new', other);
    await keys.refresh();
    expect(unusable()).toEqual([['issuer certificates', 0]]);
    expect(signing()).toEqual(other.x5c);
  });

  it('VCI:V3 start and change while the device of an earlier one is gone, which the log says', async () => {
    const [old, gone, newer] = [await issue('Old', -3), await issue('Gone', -4), await issue('New', -1)];
    addInDevice('gone', gone);
    const { keys, signing, lines } = await follow(old, { openKey: () => away });
    add('new', newer);
    await keys.refresh();
    expect(signing()).toEqual(newer.x5c);
    const told = lines.filter(({ message }) => message.startsWith('an earlier issuer key does not sign'));
    expect(told.length).toBeGreaterThan(0);
    expect(told[0]?.fields['certificate']).toMatch(/^[\w-]{43}$/);
  });

  it('VCI:V3 stay as they are while the device of the next one is away', async () => {
    const [old, next] = [await issue('Old', -3), await issue('Next', 5)];
    const { keys, signing, lines, world } = await follow(old, { openKey: () => away });
    addInDevice('next', next);
    await keys.refresh();
    expect(lines.map(({ message }) => message)).toContain(BROKEN);
    world.now = at(6);
    expect(signing()).toEqual(old.x5c);
  });

  it.each([-1, 5])(
    'stay as they are if no batch of credentials would fit with the new chain: in %s h',
    async (from) => {
      const [old, longer] = [await issue('Old', -3), await issue('Longer', from)];
      const intermediates = [authority.certificate, authority.certificate];
      const chain = toPem([Buffer.from(longer.x5c[0] ?? '', 'base64'), ...intermediates]);
      const { keys, signing, lines, world } = await follow(old, { mostCharacters: (old.x5c[0]?.length ?? 0) + 100 });
      add('longer', { ...longer, pem: chain });
      await keys.refresh();
      expect(lines.map(({ message }) => message)).toContain(BROKEN);
      world.now = at(6);
      expect(signing()).toEqual(old.x5c);
    },
  );

  it('VCI:V3 may go when they can issue no more: not before they begin, and never the configured one', async () => {
    const [old, short, next] = [
      await issue('Old', -3),
      await issue('Short', -2, { notAfter: at(3) }),
      await issue('Next', 5),
    ];
    add('short', short);
    add('next', next);
    const { keys, world } = await follow(old);
    const mayGo = () =>
      [keys.current, ...keys.retired]
        .filter((key) => keys.mayGo(key, world.now))
        .map(({ chain }) => chain[0]?.der.toString('base64'));
    expect(mayGo()).toEqual([]);
    world.now = at(6);
    expect(mayGo()).toEqual(short.x5c);
  });

  it('VCI:V3 end the start if none of them is valid', async () => {
    await expect(follow(await issue('Future', 5))).rejects.toMatchObject({ code: 'signing_certificate_not_yet_valid' });
  });
});
