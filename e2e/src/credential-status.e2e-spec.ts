import { createHash } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { CONTENT, startStage, type Stage } from './stage';
import { createW3cIssuer } from './w3c-issuer';
import { createWalletApi, type OwnedWallet, type WalletApi } from './wallet-api';

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
