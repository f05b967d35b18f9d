import { readdirSync } from 'node:fs';
import { createCertificateAuthority, toPem, type Authority, type IssuedCertificate } from '@vestibule/dev-pki';
import { until } from '@vestibule/testkit';
import { createFolder, createMemoryLogger, faultOf, type Folder } from '../../testing/key-files.fixture-spec';
import { openListedVerifier } from '../../testing/listed-verifier.fixture-spec';
import {
  createListHost,
  issueListSigner,
  LIST_URL,
  PID_LIST,
  PID_REVOCATION,
  pidList,
  pidServices,
  type ListHost,
} from '../../testing/trusted-lists.fixture-spec';
import { at, createWorld, NOW, VCT, type World } from '../../testing/verifier.fixture-spec';
import { readTrustFile } from '../keys/trust-file';
import { trackFiles } from '@vestibule/keys';
import type { ListedTrustOptions } from './listed-trust';

const DAY = 86_400;
let world: World;
let schemeRoot: Authority;
let signer: IssuedCertificate;
let files: Folder;
let host: ListHost;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  world = await createWorld();
  schemeRoot = await createCertificateAuthority({ name: 'Scheme Root', now: NOW });
  signer = await issueListSigner(schemeRoot);
});
beforeEach(() => {
  files = createFolder();
  files.write('scheme.pem', toPem(signer.certificate));
  host = createListHost();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  files.remove();
});

const LIST = { id: 'pid', url: LIST_URL, signers: ['scheme.pem'], type: PID_LIST, vcts: [VCT] };

/** A verifier that trusts whom a list names; its clock can be turned. */
function open(content: object = { lists: [LIST] }, more: Partial<ListedTrustOptions> = {}, begin = NOW) {
  const opened = openListedVerifier({ world, files, host, begin }, content, more);
  closing.push(opened.close);
  return opened;
}

const FULFILLED = ['FULFILLED', undefined];
const UNTRUSTED = ['VERIFICATION_FAILED', 'untrusted_issuer'];
const UNKNOWN = ['PROCESSING_ERROR', 'trusted_list_unavailable'];

describe('trust by lists of trusted entities', () => {
  it('EU:T1 is given to those on the list, and to nobody else for its types', async () => {
    host.serve(pidList(signer, pidServices(world.pki.root)));
    const verifier = open();
    await verifier.tried();
    expect(await verifier.outcome()).toEqual(FULFILLED);
    const other = await createCertificateAuthority({ name: 'Other', now: NOW });
    host.serve(pidList(signer, pidServices(other)));
    const without = open();
    await without.tried();
    expect(await without.outcome()).toEqual(UNTRUSTED);
  });

  it('EU:T3 is never more than known: while there is no list, an issuer is neither trusted nor refused', async () => {
    const verifier = open();
    expect(verifier.isTried()).toBe(false);
    expect(await verifier.outcome()).toEqual(UNKNOWN);
    await verifier.tried();
    expect(await verifier.outcome()).toEqual(UNKNOWN);
    expect(verifier.firstEnd()).toBeUndefined();
    expect(verifier.logger.levels()).toContain('warn');
    expect(await verifier.metrics.render()).toMatch(/trusted_list_fetches_total\{list="pid",outcome="failed".*\} 1/);
    expect(await verifier.metrics.render()).toMatch(/usable_until_timestamp_seconds\{list="pid".*\} 0/);
  });

  it('does not touch other types, which are as the file has them', async () => {
    const verifier = open({ lists: [{ ...LIST, vcts: ['urn:example:other:1'] }] });
    await verifier.tried();
    expect(await verifier.outcome()).toEqual(FULFILLED);
  });

  it('mixes with anchors in files', async () => {
    files.write('root.pem', toPem(world.pki.root.certificate));
    const verifier = open({ anchors: [{ file: 'root.pem', vcts: [VCT] }], lists: [LIST] });
    await verifier.tried();
    expect(await verifier.outcome()).toEqual(FULFILLED);
  });

  it('EU:T3 is there again when a clock that was ahead for a moment is right', async () => {
    host.serve(pidList(signer, pidServices(world.pki.root), { nextUpdateAt: at(60) }));
    const verifier = open(undefined, { graceSeconds: 60 });
    await verifier.tried();
    verifier.time.now = at(DAY);
    expect(verifier.trust().chains.anchors).toEqual([]);
    verifier.time.now = at(1);
    expect(await verifier.outcome()).toEqual(FULFILLED);
  });

  it('EU:T3 ends with the next update and its grace time, without a new list', async () => {
    host.serve(pidList(signer, pidServices(world.pki.root), { nextUpdateAt: at(60) }));
    const verifier = open(undefined, { graceSeconds: 60 });
    await verifier.tried();
    expect(verifier.firstEnd()).toEqual(at(120));
    verifier.time.now = at(119);
    expect(await verifier.outcome()).toEqual(FULFILLED);
    verifier.time.now = at(120);
    expect(await verifier.outcome()).toEqual(UNKNOWN);
  });

  it('ends at the time from which a service has another status', async () => {
    const type = 'https://scheme.example/list';
    const service = 'https://scheme.example/issuing';
    const { certificate } = world.pki.root;
    const granted = { type: service, certificates: [certificate], status: 'urn:granted', since: at(-DAY) };
    const withdrawn = { ...granted, status: 'urn:withdrawn', since: at(30), history: [granted] };
    host.serve(pidList(signer, [withdrawn], { type }));
    const scheme = { type, services: { [service]: ['credential', 'status'] }, statuses: ['urn:granted'] };
    const verifier = open({ lists: [{ ...LIST, ...scheme }] });
    await verifier.tried();
    expect(await verifier.outcome()).toEqual(FULFILLED);
    verifier.time.now = at(30);
    expect(await verifier.outcome()).toEqual(UNTRUSTED);
  });

  it.each<[string, () => string, string]>([
    ['signed by another of the same name', () => pidListOf('impostor'), 'trusted_list_signer_unknown'],
    ['of another type', () => pidListOf('type'), 'trusted_list_type_mismatch'],
    ['older than the one in use', () => pidListOf('old'), 'trusted_list_rolled_back'],
    ['out of date', () => pidListOf('expired'), 'trusted_list_out_of_date'],
    ['not a list', () => 'not a list', 'trusted_list_malformed'],
  ])('does not change by a list that is %s', async (_, bad, code) => {
    impostor = await issueListSigner(await createCertificateAuthority({ name: 'Scheme Root', now: NOW }));
    host.serve(pidList(signer, pidServices(world.pki.root)));
    const verifier = open(undefined, { refreshSeconds: 0.01 });
    await verifier.tried();
    host.serve(bad());
    const failed = () => verifier.logger.lines.filter(({ message }) => message.includes('could not be loaded'));
    await until(() => failed().length > 0);
    expect(failed()[0]).toMatchObject({ fields: { list: 'pid', error: { code } } });
    expect(await verifier.outcome()).toEqual(FULFILLED);
  });

  it('follows new versions of a list, and asks for them only if they have changed', async () => {
    host.serve(pidList(signer, pidServices(world.pki.root)), { etag: '"7"' });
    const verifier = open(undefined, { refreshSeconds: 0.01 });
    await verifier.tried();
    await until(() => host.calls.length > 2);
    expect(host.calls.slice(0, 2).map(({ ifNoneMatch }) => ifNoneMatch)).toEqual([undefined, '"7"']);
    const loads = () => verifier.logger.lines.filter(({ message }) => message.endsWith('was loaded'));
    expect(loads()).toHaveLength(1);
    host.serve(pidList(signer, [], { sequence: 8 }), { etag: '"8"' });
    await until(() => loads().length > 1);
    expect(await verifier.outcome()).toEqual(UNTRUSTED);
  });

  it('is what the trust file says now: lists come and go with it', async () => {
    host.serve(pidList(signer, pidServices(world.pki.root)));
    const verifier = open();
    await verifier.tried();
    expect(await verifier.outcome()).toEqual(FULFILLED);
    await verifier.change({ policy: 'enforce', anchors: [] });
    expect(await verifier.outcome()).toEqual(UNTRUSTED);
    await verifier.change({ lists: [LIST] });
    await verifier.tried();
    expect(await verifier.outcome()).toEqual(FULFILLED);
  });

  it('EU:T7 begins with the last good copy while the host is away, and does not go back behind it', async () => {
    const folder = files.fileOf('kept');
    const current = pidList(signer, pidServices(world.pki.root));
    host.serve(current);
    const first = open(undefined, { folder });
    await first.tried();
    host.serve(undefined);
    const second = open(undefined, { folder });
    await second.tried();
    expect(await second.outcome()).toEqual(FULFILLED);
    host.serve(pidList(signer, [], { sequence: 6 }));
    const third = open(undefined, { folder });
    await third.tried();
    expect(await third.outcome()).toEqual(FULFILLED);
    expect(third.logger.lines.at(-1)).toMatchObject({ fields: { error: { code: 'trusted_list_rolled_back' } } });
  });

  it('EU:T7 does not go back behind a kept copy that has ended, which trusts nobody', async () => {
    const folder = files.fileOf('kept');
    const replayed = pidList(signer, pidServices(world.pki.root), { sequence: 6, issuedAt: at(-20 * DAY) });
    host.serve(pidList(signer, [], { nextUpdateAt: at(DAY) }));
    const first = open(undefined, { folder });
    await first.tried();
    expect(await first.outcome()).toEqual(UNTRUSTED);
    host.serve(replayed);
    const restarted = open(undefined, { folder }, at(2 * DAY));
    await restarted.tried();
    expect(await restarted.outcome()).toEqual(UNKNOWN);
    expect(restarted.logger.lines.at(-1)).toMatchObject({ fields: { error: { code: 'trusted_list_rolled_back' } } });
  });

  it('ends with a kept copy that has ended, though that named the issuer', async () => {
    const folder = files.fileOf('kept');
    host.serve(pidList(signer, pidServices(world.pki.root), { nextUpdateAt: at(DAY) }));
    const first = open(undefined, { folder });
    await first.tried();
    expect(await first.outcome()).toEqual(FULFILLED);
    host.serve(undefined);
    const restarted = open(undefined, { folder }, at(2 * DAY));
    await restarted.tried();
    expect(await restarted.outcome()).toEqual(UNKNOWN);
    host.serve(pidList(signer, pidServices(world.pki.root), { sequence: 8 }));
    const again = open(undefined, { folder }, at(2 * DAY));
    await again.tried();
    expect(await again.outcome()).toEqual(FULFILLED);
  });

  it('does not take a kept copy that somebody else wrote', async () => {
    const folder = files.fileOf('kept');
    host.serve(pidList(signer, []));
    const first = open(undefined, { folder });
    await first.tried();
    const [name = ''] = readdirSync(folder);
    const other = await issueListSigner(await createCertificateAuthority({ name: 'Scheme Root', now: NOW }));
    files.write(`kept/${name}`, pidList(other, pidServices(world.pki.root)));
    host.serve(undefined);
    const second = open(undefined, { folder });
    await second.tried();
    expect(await second.outcome()).toEqual(UNKNOWN);
  });

  it('EU:T5 of an entity is for its own status lists: another entity cannot revoke its credentials', async () => {
    const other = await createCertificateAuthority({ name: 'Other', now: NOW });
    const revoking = { type: PID_REVOCATION, certificates: [other.certificate] };
    const draft = [
      { name: 'One', services: pidServices(world.pki.root) },
      { name: 'Other', services: [revoking] },
    ];
    host.serve(pidList(signer, [], { entities: draft }));
    const verifier = open();
    await verifier.tried();
    const { anchors } = verifier.trust().chains;
    expect(anchors.map(({ purposes }) => purposes)).toEqual([['credential', 'status'], ['status']]);
    expect(new Set(anchors.map(({ entity }) => entity)).size).toBe(2);
  });
});

let impostor: IssuedCertificate;
function pidListOf(kind: 'impostor' | 'type' | 'old' | 'expired'): string {
  const nobody = pidServices();
  if (kind === 'impostor') return pidList(impostor, nobody, { sequence: 9 });
  if (kind === 'type') return pidList(signer, nobody, { sequence: 9, type: PID_LIST.replace('PID', 'Wallet') });
  if (kind === 'old') return pidList(signer, nobody, { sequence: 6 });
  return pidList(signer, nobody, { sequence: 9, nextUpdateAt: at(-1) });
}

describe('an entry of lists in the trust file', () => {
  const faultsOf = (...lists: object[]) => {
    const file = files.write('trust.json', JSON.stringify({ lists }));
    const fault = faultOf(() =>
      readTrustFile(file, {
        files: trackFiles(),
        logger: createMemoryLogger(),
        skewSeconds: 60,
      }),
    );
    return [fault.code, ...fault.faults.map(({ path }) => path)];
  };

  it.each<[string, object, string]>([
    ['has a name for metrics', { id: 'Über' }, 'lists[0].id'],
    ['has a URL', { url: 'lists.example' }, 'lists[0].url'],
    ['is not at an address that is never requested', { url: 'http://lists.example/pid.jwt' }, 'lists[0].url'],
    ['is not on a private host', { url: 'https://lists.internal/pid.jwt' }, 'lists[0].url'],
    ['has a signer', { signers: [] }, 'lists[0].signers'],
    ['has signers that exist', { signers: ['none.pem'] }, 'lists[0].signers'],
    ['has types of credentials', { vcts: undefined }, 'lists[0].vcts'],
    ['has a known type, or says what services are for', { type: 'https://a.example' }, 'lists[0].type'],
    ['does not change what a known type means', { services: { 'urn:x': ['credential'] } }, 'lists[0].type'],
    ['is not one of wallets', { type: PID_LIST.replace('PID', 'Wallet') }, 'lists[0].type'],
    ['has no credentials of relying parties', { type: PID_LIST.replace('PID', 'WRPAC') }, 'lists[0].vcts'],
    ['trusts for nothing else', { type: 'urn:x', services: { 'urn:y': ['access'] } }, 'lists[0].services.urn:y[0]'],
  ])('%s', (_, more, path) => {
    expect(faultsOf({ ...LIST, ...more })).toEqual(['trust_file_invalid', path]);
  });

  it('has a name of its own', () => {
    expect(faultsOf(LIST, LIST)).toEqual(['trust_file_invalid', 'lists[1].id']);
  });
});
