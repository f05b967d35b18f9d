import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createCertificateAuthority,
  DEVELOPMENT_OPERATOR,
  signTrustedList,
  toPem,
  trustedListPayload,
  type IssuedCertificate,
} from '@vestibule/dev-pki';
import { until } from '@vestibule/testkit';
import { createBench, type OwnBench } from './checklist-bench';
import { TYPE } from './handmade-credential';
import { startStatusHost, type StatusHost } from './status-host';
import type { TrustedPki } from './trusted-pki';

const ETSI = 'http://uri.etsi.org/19602';
const PID_LIST = `${ETSI}/LoTEType/EUPIDProvidersList`;
const DAY = 86_400_000;

/** Where the verifier keeps copies. */
const kept = mkdtempSync(path.join(tmpdir(), 'vestibule-lists-'));
let host: StatusHost;
let signer: IssuedCertificate;
let bench: OwnBench;
const answers = new Map<string, { readonly body: string; readonly etag: string }>();

/** A list of PID providers with these authorities. */
function list(certificates: readonly Buffer[], sequence: number): string {
  const now = Date.now();
  const entities = [
    { name: 'Provider', services: [{ type: `${ETSI}/SvcType/PID/Issuance`, certificates }] },
    { name: 'Another', services: [{ type: `${ETSI}/SvcType/Unknown`, certificates: [signer.certificate] }] },
  ];
  const dates = { issuedAt: new Date(now - DAY), nextUpdateAt: new Date(now + 20 * DAY) };
  const payload = trustedListPayload({ type: PID_LIST, sequence, ...dates, entities });
  return signTrustedList(payload, { signer, signedAt: new Date(now - DAY) });
}

/** The host serves what `answers` has at a path, as the host of an authority does. */
function serveLists(name: string): string {
  return host.at(`/${name}`, (request, response) => {
    const known = request.headers['if-none-match'];
    const answer = answers.get(name);
    if (!answer) return void response.writeHead(503).end();
    const headers = { etag: answer.etag, 'content-type': 'application/jwt' };
    if (known === answer.etag) return void response.writeHead(304, headers).end();
    response.writeHead(200, headers).end(answer.body);
  });
}

function writeTrust({ trustFile }: Pick<TrustedPki, 'trustFile'>, ...names: string[]): void {
  const lists = names.map((name) => ({
    id: name,
    url: serveLists(name),
    signers: ['scheme.pem'],
    type: PID_LIST,
    vcts: [TYPE],
  }));
  writeFileSync(`${trustFile}.new`, JSON.stringify({ lists }));
  renameSync(`${trustFile}.new`, trustFile);
}

beforeAll(async () => {
  host = await startStatusHost();
  const scheme = await createCertificateAuthority({ name: 'Scheme Root', now: new Date() });
  signer = await scheme.issue({ name: 'List Signer', organization: DEVELOPMENT_OPERATOR });
  bench = await createBench({
    environment: {
      EGRESS_DEVELOPMENT_HOSTS: host.host,
      RELOAD_SECONDS: '1',
      TRUSTED_LISTS_FOLDER: kept,
    },
    async trust(pki) {
      const folder = path.dirname(pki.trustFile);
      writeFileSync(path.join(folder, 'scheme.pem'), toPem(signer.certificate));
      answers.set('first', { body: list([pki.root.certificate], 7), etag: '"7"' });
      writeTrust(pki, 'first');
    },
  });
});
afterAll(async () => {
  await bench?.stop();
  await host?.stop();
  rmSync(kept, { recursive: true, force: true });
});

const loaded = (name: string) => () =>
  bench.stage.readLog().some((line) => line.includes('list of trusted entities was loaded') && line.includes(name));
const failed = (name: string) => () =>
  bench.stage.readLog().some((line) => line.includes('could not be loaded or kept') && line.includes(name));
const endings = async () => {
  const { status, codes } = await bench.attempt();
  return [status, ...codes];
};

describe('18.8 a verifier that trusts the entities on a list', () => {
  it('EU:T1 EU:T4 accepts credentials of those on it', async () => {
    await until(loaded('first'));
    expect(await endings()).toEqual(['FULFILLED']);
  });

  it('shows in health and metrics until when it is used', async () => {
    const { body } = await bench.stage.management('GET', '/health/ready');
    expect(body).toMatchObject({
      services: { verifier: { checks: { trustedLists: true }, expires: { trustedList: expect.any(String) } } },
    });
    const metricsUrl = bench.stage.stack.process('verifier').readyUrl.replace('/health/ready', '/metrics');
    const metrics = await (await fetch(metricsUrl)).text();
    expect(metrics).toMatch(/^vestibule_trusted_list_usable_until_timestamp_seconds\{.*list="first".*\} [1-9]/m);
    expect(metrics).toMatch(/^vestibule_trusted_list_anchors\{.*list="first".*\} 1$/m);
    expect(metrics).toMatch(/^vestibule_trusted_list_fetches_total\{.*list="first".*outcome="loaded".*\} 1$/m);
  });

  it('EU:T1 takes another list from the trust file without a restart, and refuses who is not on it', async () => {
    const other = await createCertificateAuthority({ name: 'Other', now: new Date() });
    answers.set('second', { body: list([other.certificate], 1), etag: '"1"' });
    writeTrust(bench.pki, 'second');
    await until(loaded('second'));
    expect(await endings()).toEqual(['VERIFICATION_FAILED', 'untrusted_issuer']);
  });

  it('EU:T4 accepts credentials of a provider whose own certificate is on it, without its authority', async () => {
    const [own] = bench.pki.issuer.chain;
    answers.set('own', { body: list(own ? [Buffer.from(own)] : [], 1), etag: '"1"' });
    writeTrust(bench.pki, 'own');
    await until(loaded('own'));
    expect(await endings()).toEqual(['FULFILLED']);
  });

  it('EU:T7 begins with its copy after kill -9, while the host is away', async () => {
    writeTrust(bench.pki, 'first');
    const process = bench.stage.stack.process('verifier');
    await until(async () => (await endings())[0] === 'FULFILLED');
    answers.clear();
    await process.kill('SIGKILL');
    await process.restart();
    expect(await endings()).toEqual(['FULFILLED']);
  });

  it('EU:T3 says nothing about an issuer while its list cannot be fetched', async () => {
    writeTrust(bench.pki, 'third');
    await until(failed('third'));
    expect(await endings()).toEqual(['PROCESSING_ERROR', 'trusted_list_unavailable']);
  });
});
