import { nkeys } from '@nats-io/transport-node';
import { createCertificateAuthority, toPem } from '@vestibule/dev-pki';
import { startTcpProxy } from '@vestibule/dev-stack';
import { loadConfiguration, natsFaults, natsVariables } from '@vestibule/process';
import { lines, logger, until } from './bus.stage';
import { connectToNats, followStatus } from './connect';
import { readNatsAccess } from './nats-access';
import { natsBinary, openServerRoom, type ServerRoom } from './testing/bus-servers.fixture-spec';
import { createOperatorMode } from './testing/operator-mode.fixture-spec';

jest.setTimeout(180_000);

const CANARY = 'canary-password';

(natsBinary === undefined ? describe.skip : describe)('what a process shows to a real NATS server', () => {
  let room: ServerRoom;
  const closers: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    room = await openServerRoom();
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  afterAll(() => room.close());
  beforeEach(() => void lines.splice(0));

  const accessOf = (environment: Readonly<Record<string, string>>) => {
    const configuration = loadConfiguration(natsVariables, environment);
    expect(natsFaults(configuration)).toEqual([]);
    return readNatsAccess(configuration);
  };

  /** The connection, or what it failed with; aborted at the end of the test. */
  async function connected(environment: Readonly<Record<string, string>>) {
    const abort = new AbortController();
    closers.push(() => Promise.resolve(abort.abort()));
    const opened = await connectToNats({ ...accessOf(environment), name: 'test', logger }, abort.signal);
    if (!opened) throw new Error('aborted');
    closers.push(() => opened.connection.close());
    void followStatus(opened, { name: 'test', logger }, () => undefined);
    await opened.connection.flush();
    return opened.connection;
  }
  const failure = (environment: Readonly<Record<string, string>>) =>
    connected(environment).then(
      () => 'connected',
      (error: unknown) => error,
    );
  const withCa = (port: number, more: Readonly<Record<string, string>> = {}) => ({
    NATS_URL: `tls://localhost:${port}`,
    NATS_CA_FILE: room.caFile,
    ...more,
  });

  const user = nkeys.createUser();
  const logins = `authorization { users: [
    { user: "verifier", password: "${CANARY}/@:" }
    { nkey: "${user.getPublicKey()}" }
  ] }\n`;

  it.each([
    ['none', () => Promise.resolve({})],
    [
      'one of another authority',
      async () => {
        const stranger = await createCertificateAuthority({ name: 'Stranger', now: new Date() });
        const { certificate, privateKey } = await stranger.issue({ name: 'client', dnsNames: ['client'] });
        return {
          NATS_CERTIFICATE_FILE: room.write('stranger.pem', toPem(certificate)),
          NATS_KEY_FILE: room.write('stranger-key.pem', toPem(privateKey)),
        };
      },
    ],
    [
      'one that is over',
      async () => {
        const over = { name: 'client', dnsNames: ['client'], notAfter: new Date(Date.now() - 1_000) };
        const { certificate, privateKey } = await room.authority.issue(over);
        return {
          NATS_CERTIFICATE_FILE: room.write('over.pem', toPem(certificate)),
          NATS_KEY_FILE: room.write('over-key.pem', toPem(privateKey)),
        };
      },
    ],
  ])('ends the start at once where the server refuses our client certificate: %s', async (_, files) => {
    const { port } = await room.start(await room.tls({ clients: true }));
    const environment = withCa(port, await files());
    // Timers of a process fire in the order of their times: a connection without an answer is given up after five.
    const late = AbortSignal.timeout(4_500);
    expect(await failure(environment)).toMatchObject({
      code: 'nats_client_certificate_refused',
      detail: expect.stringContaining('NATS_CERTIFICATE_FILE') as string,
    });
    expect(late.aborted).toBe(false);
  });

  it('from a creds file, of a server with an operator and accounts', async () => {
    const operator = createOperatorMode();
    const { port } = await room.start(operator.configuration);
    const NATS_CREDS_FILE = room.write('user.creds', operator.creds());
    const connection = await connected({ NATS_URL: `nats://127.0.0.1:${port}`, NATS_CREDS_FILE });
    expect(connection.info?.auth_required).toBe(true);
    const other = room.write('other.creds', createOperatorMode().creds());
    expect(await failure({ NATS_URL: `nats://127.0.0.1:${port}`, NATS_CREDS_FILE: other })).toMatchObject({
      code: 'nats_login_refused',
      detail: 'the server of NATS_URL does not accept NATS_CREDS_FILE',
    });
    const over = room.write('over.creds', operator.creds(Math.floor(Date.now() / 1_000) - 60));
    expect(await failure({ NATS_URL: `nats://127.0.0.1:${port}`, NATS_CREDS_FILE: over })).toMatchObject({
      code: 'nats_login_refused',
    });
    expect(lines.join()).not.toContain('BEGIN');
  });

  it('from an nkey that the server does not know ends the start', async () => {
    const { port } = await room.start(logins);
    const NATS_NKEY_SEED = Buffer.from(nkeys.createUser().getSeed()).toString();
    expect(await failure({ NATS_URL: `nats://127.0.0.1:${port}`, NATS_NKEY_SEED })).toMatchObject({
      code: 'nats_login_refused',
      detail: 'the server of NATS_URL does not accept NATS_NKEY_SEED',
    });
    expect(lines.join()).not.toContain(NATS_NKEY_SEED);
  });

  it('from NATS_URL_FILE, since a URL may hold a password', async () => {
    const { port } = await room.start(logins);
    const url = `nats://verifier:${encodeURIComponent(`${CANARY}/@:`)}@127.0.0.1:${port}`;
    await connected({ NATS_URL_FILE: room.write('url', `${url}\n`) });
    expect(lines.join()).not.toContain(CANARY);
  });

  it.each<[string, string, () => Promise<{ port: number } | undefined>]>([
    [
      'has a certificate of another authority',
      'nats_certificate_refused',
      async () => {
        const authority = await createCertificateAuthority({ name: 'Stranger', now: new Date() });
        return room.start(logins + (await room.tls({ authority })));
      },
    ],
    [
      'has another password',
      'nats_login_refused',
      async () => room.start(logins.replace(CANARY, 'new') + (await room.tls())),
    ],
    ['has no TLS', 'nats_without_tls', () => room.start(logins)],
    ['is gone', 'ECONNREFUSED', () => Promise.resolve(undefined)],
  ])('from a connection that stood, and the log says why it is not restored where the server %s', async (...row) => {
    const [, reason, next] = row;
    const { port } = await room.start(logins + (await room.tls()));
    const proxy = await startTcpProxy(port);
    closers.push(() => proxy.stop());
    const login = { NATS_USER: 'verifier', NATS_PASSWORD: `${CANARY}/@:` };
    const connection = await connected(withCa(proxy.port, login));
    let attempts = 0;
    void (async () => {
      for await (const { type } of connection.status()) if (type === 'reconnecting') attempts += 1;
    })();
    const changed = await next();
    if (changed) proxy.redirect(changed.port);
    await (changed ? proxy.cut() : proxy.stop());
    await until(() => attempts >= 4);
    const waiting = lines
      .map((line) => JSON.parse(line) as { readonly msg: string; readonly error?: { readonly code?: string } })
      .filter(({ msg }) => msg === 'NATS does not answer yet, retrying');
    expect(waiting.map(({ error }) => error?.code)).toEqual([reason]);
    expect(lines.join()).not.toContain(CANARY);
  });
});
