import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signEs256 } from '@vestibule/crypto';
import { createDevelopmentPki } from '@vestibule/dev-pki';
import { packStatuses, signStatusListToken, STATUS_LIST_MEDIA_TYPE } from '@vestibule/status-list';
import { issuerIdentity, presentForeign } from './foreign-credential';
import { PRESENTATION, startStage, type Stage } from './stage';

const REVOKED = 7;
const SUSPENDED = 8;

let stage: Stage;
let server: Server;
let origin: string;
/** What the status list host does, by path. */
const paths = new Map<string, RequestListener>();
const calls: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    calls.push(request.url ?? '');
    const answer = paths.get(request.url ?? '');
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
  stage = await startStage({
    apps: PRESENTATION,
    environment: { verifier: { EGRESS_DEVELOPMENT_HOSTS: `127.0.0.1:${port}` } },
  });
});
afterAll(async () => {
  await stage?.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

type Signer = ReturnType<typeof issuerIdentity>;

async function tokenFor(uri: string, signer: Signer = issuerIdentity(stage)): Promise<string> {
  const statuses = [
    { idx: REVOKED, status: 1 },
    { idx: SUSPENDED, status: 2 },
  ];
  return signStatusListToken({
    uri,
    issuedAt: new Date(Date.now() - 1_000),
    expiresAt: new Date(Date.now() + 600_000),
    ttlSeconds: 300,
    list: packStatuses(1_000, 2, statuses),
    x5c: signer.chain.map((der) => der.toString('base64')),
    signer: (input) => signEs256(signer.key, input),
  });
}

async function serve(path: string, makeToken: (uri: string) => Promise<string> = tokenFor): Promise<string> {
  const uri = `${origin}${path}`;
  const token = await makeToken(uri);
  paths.set(
    path,
    (_request, response) => void response.writeHead(200, { 'content-type': STATUS_LIST_MEDIA_TYPE }).end(token),
  );
  return uri;
}

const presentWithStatus = (uri: string, idx: number) =>
  presentForeign(stage, { payload: (payload) => ({ ...payload, status: { status_list: { idx, uri } } }) });

describe('a credential with a status list', () => {
  it('VP:O20 VP:O21 that calls it valid is FULFILLED and says so; the list is fetched once', async () => {
    const uri = await serve('/good');
    const { event } = await presentWithStatus(uri, 3);
    await presentWithStatus(uri, 4);
    expect(event).toMatchObject({ status: 'FULFILLED' });
    const [credential] = (event?.['credentials'] as Record<string, object[]>)['card'] ?? [];
    expect(credential).toMatchObject({ supportRevocation: true, isRevoked: false });
    expect(calls.filter((path) => path === '/good')).toHaveLength(1);
  });

  it.each([
    ['VP:O13 revoked', REVOKED, 'credential_revoked'],
    ['VP:O13 suspended', SUSPENDED, 'credential_suspended'],
    ['VP:O12 beyond the end of the list', 5_000, 'status_index_out_of_range'],
  ])('%s ends as VERIFICATION_FAILED', async (_what, idx, code) => {
    const { event, codes } = await presentWithStatus(await serve('/list'), idx);
    expect(event).toMatchObject({
      status: 'VERIFICATION_FAILED',
      errorDetails: expect.stringMatching(`^${code}: credential "card"`),
    });
    expect(codes).toEqual([code]);
  });

  it('VP:O7 whose list is that of another address ends as VERIFICATION_FAILED', async () => {
    const uri = await serve('/elsewhere', () => tokenFor(`${origin}/other`));
    expect((await presentWithStatus(uri, 3)).codes).toEqual(['status_token_subject_mismatch']);
  });

  it('VP:O5 whose list somebody else signed ends as VERIFICATION_FAILED', async () => {
    const { issuer } = await createDevelopmentPki({ now: new Date(), hosts: ['other.example'] });
    const uri = await serve('/forged', (address) => tokenFor(address, { chain: issuer.chain, key: issuer.privateKey }));
    const { event } = await presentWithStatus(uri, 3);
    expect(event).toMatchObject({ status: 'VERIFICATION_FAILED' });
  });

  it('VP:O1 is not looked up when the credential does not hold', async () => {
    const uri = await serve('/never');
    await presentForeign(stage, {
      payload: (payload) => ({ ...payload, status: { status_list: { idx: 3, uri } } }),
      order: { tamperSignature: true },
    });
    expect(calls).not.toContain('/never');
  });
});

describe('a status list host that', () => {
  it.each<[string, string, RequestListener]>([
    ['VP:O3 answers 500', '/broken', (_request, response) => void response.writeHead(500).end()],
    [
      'VP:O3 answers html',
      '/html',
      (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    ],
    [
      'VP:O18 redirects to a private address',
      '/redirect',
      (_request, response) => void response.writeHead(302, { location: 'https://10.0.0.1/list' }).end(),
    ],
    [
      'VP:O18 redirects in a circle',
      '/circle',
      (_request, response) => void response.writeHead(302, { location: '/circle' }).end(),
    ],
    ['VP:O19 breaks the connection', '/cut', (request) => void request.socket.destroy()],
  ])('%s never leads to FULFILLED: PROCESSING_ERROR', async (_what, path, answer) => {
    paths.set(path, answer);
    const { event } = await presentWithStatus(`${origin}${path}`, 3);
    expect(event).toMatchObject({ status: 'PROCESSING_ERROR', errorDetails: expect.stringMatching('^egress_') });
  });

  it.each(['https://127.0.0.1:9/list', 'https://[::1]/list', 'https://10.0.0.1/list', 'http://status.example/list'])(
    'VP:Q5 is at %s is not asked: VERIFICATION_FAILED',
    async (uri) => {
      const { event } = await presentWithStatus(uri, 3);
      expect(event).toMatchObject({
        status: 'VERIFICATION_FAILED',
        errorDetails: expect.stringMatching('^egress_refused_'),
      });
    },
  );

  it('VP:Q5 never answers keeps nobody else waiting, and ends as PROCESSING_ERROR', async () => {
    paths.set('/slow', () => undefined);
    const slow = presentWithStatus(`${origin}/slow`, 3);
    const other = presentForeign(stage);
    const first = await Promise.race([slow.then(() => 'the slow one'), other.then(() => 'the other one')]);
    expect(first).toBe('the other one');
    expect((await other).event).toMatchObject({ status: 'FULFILLED' });
    expect((await slow).event).toMatchObject({
      status: 'PROCESSING_ERROR',
      errorDetails: expect.stringMatching('^egress_timeout'),
    });
  });
});
