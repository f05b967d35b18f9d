import { createHash } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BADGE, createSchemaApi, OLD, VALUES } from './schema-api';
import { CONTENT, startStage, type Stage } from './stage';
import { createW3cIssuer, strangerAccepts } from './w3c-issuer';
import { createWalletApi, newTenantKey, type OwnedWallet, type WalletApi } from './wallet-api';

const KEY = 'the-key-of-the-tenant-that-reads-lists';
const INDEX = 94_567;
let stage: Stage;
let server: Server;
let origin: string;
let api: WalletApi;
let owner: OwnedWallet;
let issuer: Awaited<ReturnType<typeof createW3cIssuer>>;
const paths = new Map<string, RequestListener>();

beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = paths.get(request.url ?? '');
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  origin = `http://${host}`;
  const digest = createHash('sha256').update(KEY).digest('base64url');
  const lists = { CREDENTIAL_STATUS_HOSTS: host, EGRESS_DEVELOPMENT_HOSTS: host };
  stage = await startStage({
    apps: CONTENT,
    environment: { gateway: { VC_API_KEY_DIGEST: digest }, 'wallet-store': { FIRST_API_KEY: KEY, ...lists } },
  });
  api = createWalletApi(stage.stack.baseUrl, KEY);
  owner = await api.newWallet();
  issuer = await createW3cIssuer();
});
afterAll(async () => {
  await stage?.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Serves a list in which these bits are set; it may not be cached. */
async function serveList(path: string, set: readonly number[], by = issuer): Promise<string> {
  const bits = Buffer.alloc(16_384);
  for (const index of set) bits[index >> 3] = 0x80 >> (index & 7);
  const url = `${origin}${path}`;
  const subject = {
    type: 'BitstringStatusList',
    statusPurpose: 'revocation',
    encodedList: `u${gzipSync(bits).toString('base64url')}`,
    ttl: 0,
  };
  const list = await by.issue(subject, { id: url, type: ['VerifiableCredential', 'BitstringStatusListCredential'] });
  paths.set(path, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/vc' }).end(JSON.stringify(list));
  });
  return url;
}

const withStatus = (statusListCredential: string, change: object = {}) =>
  issuer.issue(
    { given_name: 'Ada' },
    {
      credentialStatus: {
        type: 'BitstringStatusListEntry',
        statusPurpose: 'revocation',
        statusListIndex: String(INDEX),
        statusListCredential,
        ...change,
      },
    },
  );

async function verify(verifiableCredential: object) {
  const { status, body } = await stage.management('POST', '/credentials/verify', { verifiableCredential });
  return [status, body['code'] ?? body['verified']];
}
async function importing(credential: object) {
  const query = new URLSearchParams({ ...owner }).toString();
  const { status, body } = await api.call('POST', `/credentials?${query}`, { Body: credential });
  return [status, body['code'] ?? 'imported'];
}

describe('a credential with a Bitstring Status List', () => {
  it('is verified and imported until its issuer revokes it, and then neither', async () => {
    const url = await serveList('/lists/1', []);
    const credential = await withStatus(url);
    expect(await verify(credential)).toEqual([200, true]);
    const [status] = await importing(credential);
    expect(status).toBeLessThan(300);
    await serveList('/lists/1', [INDEX]);
    expect(await verify(credential)).toEqual([400, 'vc_revoked']);
    expect(await importing(await withStatus(url))).toEqual([400, 'vc_revoked']);
  });

  it('is refused while its list is unavailable, under a code that says to try again', async () => {
    const credential = await withStatus(`${origin}/lists/none`);
    expect(await verify(credential)).toEqual([503, 'vc_status_unavailable']);
    expect(await importing(credential)).toEqual([503, 'vc_status_unavailable']);
  });

  it('is refused if its list is of another issuer, or at a host that is not on the list of the operator', async () => {
    const theirs = await serveList('/lists/2', [], await createW3cIssuer());
    expect(await verify(await withStatus(theirs))).toEqual([400, 'vc_status_issuer_mismatch']);
    const elsewhere = await withStatus('https://status.example/lists/1');
    expect(await verify(elsewhere)).toEqual([400, 'vc_status_host_not_allowed']);
  });

  it('is refused if its list would have to be ignored', async () => {
    const url = await serveList('/lists/3', []);
    expect(await verify(await withStatus(url, { statusPurpose: 'message' }))).toEqual([400, 'vc_status_unsupported']);
    expect(await verify(await withStatus(url, { statusListIndex: '-1' }))).toEqual([
      400,
      'vc_credential_status_malformed',
    ]);
  });
});

describe('17.8 a credential that is issued with a status', () => {
  interface Entry {
    readonly id: string;
    readonly type: string;
    readonly statusPurpose: string;
    readonly statusListIndex: string;
    readonly statusListCredential: string;
  }
  interface ListCredential {
    readonly id: string;
    readonly type: readonly string[];
    readonly issuer: string;
    readonly credentialSubject: { readonly type: string; readonly statusPurpose: string; readonly encodedList: string };
  }

  async function issueWith(...status_purposes: string[]) {
    const schemas = createSchemaApi(stage.stack.baseUrl, KEY);
    const draft = await schemas('POST', '/drafts', { data: { schema: { schema: BADGE }, values: VALUES } });
    const { id } = draft.body;
    const issued = await schemas('POST', `/drafts/${id}/issue`, { status_purposes });
    const document = issued.body.data['document'] as Record<string, unknown>;
    const entries = [document['credentialStatus']].flat() as Entry[];
    const change = async (status: string, ask = schemas) => {
      const { status: http, body } = await ask('PATCH', `/credentials/${id}/status`, { status });
      return [http, body.code ?? (body as unknown as { status: string }).status];
    };
    return { id, document, entries, change, schemas };
  }
  const fetchList = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers });
  /** The bit of an entry, in the list that everybody gets. */
  async function bitOf({ statusListCredential, statusListIndex }: Entry) {
    const { credentialSubject } = (await (await fetchList(statusListCredential)).json()) as ListCredential;
    const bits = gunzipSync(Buffer.from(credentialSubject.encodedList.slice(1), 'base64url'));
    const index = Number(statusListIndex);
    return ((bits[index >> 3] as number) >> (7 - (index & 7))) & 1;
  }

  it('has entries of the standard, which name a list at a public address', async () => {
    const { entries, document } = await issueWith('revocation', 'suspension');
    expect(entries).toHaveLength(2);
    for (const entry of entries) {
      expect(entry.type).toBe('BitstringStatusListEntry');
      expect(['revocation', 'suspension']).toContain(entry.statusPurpose);
      expect(entry.statusListIndex).toMatch(/^(?:0|[1-9]\d*)$/);
      expect(entry.id).toBe(`${entry.statusListCredential}#${entry.statusListIndex}`);
      expect(entry).not.toHaveProperty('statusSize');
      const answer = await fetchList(entry.statusListCredential);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/vc; charset=utf-8']);
      const list = (await answer.json()) as ListCredential;
      expect([list.id, list.issuer]).toEqual([entry.statusListCredential, document['issuer']]);
      expect(list.type).toEqual(['VerifiableCredential', 'BitstringStatusListCredential']);
      const { type, statusPurpose, encodedList } = list.credentialSubject;
      expect([type, statusPurpose]).toEqual(['BitstringStatusList', entry.statusPurpose]);
      expect(gunzipSync(Buffer.from(encodedList.slice(1), 'base64url'))).toHaveLength(16_384);
      expect(encodedList).toMatch(/^u[A-Za-z0-9_-]+$/);
      expect(await strangerAccepts(list)).toBe(true);
    }
  });

  it('is verified here without network, until it is suspended or revoked', async () => {
    const { document, entries, change } = await issueWith('revocation', 'suspension');
    expect(await verify(document)).toEqual([200, true]);
    expect(await change('suspended')).toEqual([200, 'suspended']);
    expect(await verify(document)).toEqual([400, 'vc_suspended']);
    expect(await change('Valid')).toEqual([200, 'valid']);
    expect(await verify(document)).toEqual([200, true]);
    expect(await Promise.all(entries.map(bitOf))).toEqual([0, 0]);
    expect(await change('revoked')).toEqual([200, 'revoked']);
    expect(await verify(document)).toEqual([400, 'vc_revoked']);
    expect(await importing(document)).toEqual([400, 'vc_revoked']);
    expect(await Promise.all(entries.map(bitOf))).toEqual([1, 0]);
    expect(await change('valid')).toEqual([409, 'credential_revocation_final']);
    expect(await change('void')).toEqual([400, 'invalid_request']);
  });

  it('is changed by its tenant alone, and only as far as it was issued for that', async () => {
    const { id, change, schemas } = await issueWith('revocation');
    const other = createSchemaApi(stage.stack.baseUrl, await newTenantKey(stage, 'status-thief'));
    expect(await change('revoked', other)).toEqual([404, 'credential_not_found']);
    expect((await other('GET', `/credentials/${id}/status`)).body.code).toBe('credential_not_found');
    expect(await change('suspended')).toEqual([409, 'credential_without_status']);
    const { body } = await schemas('GET', `/credentials/${id}/status`, undefined, OLD);
    expect(body).toEqual({ id, status: 'valid', status_purposes: ['revocation'] });
  });

  it('has a list that is fetched again only when it has changed', async () => {
    const { entries, change } = await issueWith('revocation');
    const url = entries[0]?.statusListCredential ?? '';
    const first = await fetchList(url);
    const etag = first.headers.get('etag') ?? '';
    expect([etag, first.headers.get('cache-control')]).toEqual([expect.stringMatching(/^".+"$/), 'public, max-age=60']);
    const known = await fetchList(url, { 'if-none-match': etag });
    expect([known.status, await known.text()]).toEqual([304, '']);
    await change('revoked');
    expect((await fetchList(url, { 'if-none-match': etag })).status).toBe(200);
    expect((await fetchList(`${url.slice(0, -1)}-`)).status).toBe(404);
    expect((await fetchList(`${url}/more`)).status).toBe(404);
  });
});
