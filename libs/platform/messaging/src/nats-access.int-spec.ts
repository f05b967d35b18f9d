import { createServer, type AddressInfo, type Socket } from 'node:net';
import { nkeys } from '@nats-io/transport-node';
import { TLSSocket } from 'node:tls';
import { createCertificateAuthority, toPem } from '@vestibule/dev-pki';
import { startTcpProxy } from '@vestibule/dev-stack';
import { loadConfiguration, natsFaults, natsVariables } from '@vestibule/process';
import { createAsker } from './asker';
import { lines, logger, until } from './bus.stage';
import { natsBinary, openServerRoom, type ServerRoom } from './testing/bus-servers.fixture-spec';
import { connectToNats } from './connect';
import { readNatsAccess } from './nats-access';

jest.setTimeout(180_000);

const CANARY = 'canary-password';
const withServer = natsBinary === undefined ? describe.skip : describe;

withServer('the way to a real NATS server', () => {
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

  it('is encrypted where the URL says tls://', async () => {
    const { port } = await room.start(await room.tls());
    const connection = await connected(withCa(port));
    expect(connection.info?.tls_required).toBe(true);
  });

  it('ends the start at a server without TLS behind tls://, and names NATS_URL', async () => {
    const { port } = await room.start('');
    expect(await failure(withCa(port))).toMatchObject({
      code: 'nats_without_tls',
      detail: expect.stringContaining('NATS_URL') as string,
    });
    expect(await failure({ NATS_URL: `tls://localhost:${port}` })).toMatchObject({ code: 'nats_without_tls' });
  });

  it('tells a process that asks, too: it does not try for ever', async () => {
    const { port } = await room.start('');
    const refusals: unknown[] = [];
    const onRefused = (error: unknown): void => void refusals.push(error);
    const asker = createAsker({ ...accessOf(withCa(port)), name: 'asker', logger, onRefused });
    closers.push(() => asker.close());
    await until(() => refusals.length > 0);
    expect(refusals).toEqual([expect.objectContaining({ code: 'nats_without_tls' })]);
    expect(asker.isConnected()).toBe(false);
  });

  it.each([
    ['an authority that is not trusted', 'authority'],
    ['a certificate for another name', 'name'],
    ['a certificate that is over', 'time'],
  ])('ends the start at %s', async (_, wrong) => {
    const stranger = await createCertificateAuthority({ name: 'Stranger', now: new Date() });
    const { port } = await room.start(
      await room.tls({
        ...(wrong === 'authority' ? { authority: stranger } : {}),
        ...(wrong === 'name' ? { names: ['elsewhere.example'] } : {}),
        ...(wrong === 'time' ? { notAfter: new Date(Date.now() - 1_000) } : {}),
      }),
    );
    expect(await failure(withCa(port))).toMatchObject({
      code: 'nats_certificate_refused',
      detail: expect.stringContaining('NATS_URL') as string,
    });
  });

  it('trusts the public authorities where no file names others', async () => {
    const { port } = await room.start(await room.tls());
    expect(await failure({ NATS_URL: `tls://localhost:${port}` })).toMatchObject({ code: 'nats_certificate_refused' });
  });

  it('shows a client certificate to a server that demands one', async () => {
    const { port } = await room.start(await room.tls({ clients: true }));
    const { certificateFile, keyFile } = await room.client();
    const files = { NATS_CERTIFICATE_FILE: certificateFile, NATS_KEY_FILE: keyFile };
    await connected(withCa(port, files));
  });

  /** A server that speaks NATS without TLS and writes down what it hears. */
  async function eavesdrop() {
    const heard: string[] = [];
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('data', (bytes) => heard.push(bytes.toString('latin1')));
      socket.on('error', () => undefined);
      socket.write('INFO {"server_id":"x","version":"2.9.0","proto":1,"headers":true,"max_payload":1048576}\r\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    });
    return { port: (server.address() as AddressInfo).port, heard, connections: () => sockets.length };
  }

  it('says nothing to a server that comes back without TLS', async () => {
    const { port } = await room.start(await room.tls());
    const proxy = await startTcpProxy(port);
    closers.push(() => proxy.stop());
    const connection = await connected(withCa(proxy.port));
    const plain = await eavesdrop();
    proxy.redirect(plain.port);
    proxy.cut();
    await until(() => plain.connections() >= 3);
    expect(plain.heard).toEqual([]);
    const again = (async () => {
      for await (const { type } of connection.status()) if (type === 'reconnect') return type;
      return 'closed';
    })();
    proxy.redirect(port);
    await expect(again).resolves.toBe('reconnect');
  });

  /** A server with TLS whose cluster has one more server, and which ends the first connection. */
  async function announce(port: number): Promise<number> {
    const { certificate, privateKey } = await room.authority.issue({ name: 'x', dnsNames: ['localhost'] });
    const pem = { cert: toPem(certificate), key: toPem(privateKey) };
    const connect_urls = [`127.0.0.1:${port}`];
    const info = { server_id: 'x', version: '2.9.0', proto: 1, headers: true, max_payload: 1024, tls_required: true };
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      // The first one only reads what the server says of itself.
      if (connections === 2) server.close();
      socket.on('error', () => undefined);
      socket.write(`INFO ${JSON.stringify({ ...info, connect_urls })}\r\n`);
      const secure = new TLSSocket(socket, { isServer: true, ...pem });
      secure.on('error', () => undefined);
      secure.write(`INFO ${JSON.stringify({ ...info, connect_urls })}\r\n`);
      let pings = 0;
      secure.on('data', (bytes) => {
        pings += bytes.toString('latin1').split('PING').length - 1;
        secure.write('PONG\r\n'.repeat(bytes.toString('latin1').split('PING').length - 1));
        if (pings > 1) socket.destroy();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  it('says nothing to a server without TLS that the cluster announces', async () => {
    const plain = await eavesdrop();
    await failure(withCa(await announce(plain.port)));
    await until(() => plain.connections() >= 3);
    expect(plain.heard).toEqual([]);
  });

  describe('with a login', () => {
    const user = nkeys.createUser();
    const seed = Buffer.from(user.getSeed()).toString();
    const logins = `authorization { users: [
      { user: "verifier", password: "${CANARY}/@:" }
      { nkey: "${user.getPublicKey()}" }
    ] }\n`;

    it.each<[string, (port: number) => Readonly<Record<string, string>>]>([
      [
        'variables',
        (port) => ({ NATS_URL: `nats://127.0.0.1:${port}`, NATS_USER: 'verifier', NATS_PASSWORD: `${CANARY}/@:` }),
      ],
      ['the URL', (port) => ({ NATS_URL: `nats://verifier:${encodeURIComponent(`${CANARY}/@:`)}@127.0.0.1:${port}` })],
      [
        'the first of two URLs',
        (port) => ({
          NATS_URL: `nats://verifier:${encodeURIComponent(`${CANARY}/@:`)}@127.0.0.1:${port},nats://127.0.0.1:${port}`,
        }),
      ],
      [
        'a file',
        (port) => ({
          NATS_URL: `nats://127.0.0.1:${port}`,
          NATS_USER: 'verifier',
          NATS_PASSWORD_FILE: room.write('password', `${CANARY}/@:\n`),
        }),
      ],
      ['an nkey', (port) => ({ NATS_URL: `nats://127.0.0.1:${port}`, NATS_NKEY_SEED: seed })],
    ])('from %s', async (_, environment) => {
      const { port } = await room.start(logins);
      await connected(environment(port));
      expect(lines.join()).not.toContain(CANARY);
    });

    it.each<[string, string]>([
      ['nats://127.0.0.1', 'NATS_TOKEN'],
      [`nats://${CANARY}@127.0.0.1`, ''],
    ])('by a token, at %s', async (url, variable) => {
      const { port } = await room.start(`authorization { token: "${CANARY}" }`);
      await connected({ NATS_URL: `${url}:${port}`, ...(variable === '' ? {} : { [variable]: CANARY }) });
      expect(lines.join()).not.toContain(CANARY);
    });

    it('that is refused ends the start and says which variable it is from, without the secret', async () => {
      const { port } = await room.start(logins);
      const wrong = { NATS_URL: `nats://127.0.0.1:${port}`, NATS_USER: 'verifier', NATS_PASSWORD: CANARY };
      const error = await failure(wrong);
      expect(error).toMatchObject({
        code: 'nats_login_refused',
        detail: 'the server of NATS_URL does not accept NATS_USER and NATS_PASSWORD',
      });
      expect(await failure({ NATS_URL: `nats://x:${CANARY}@127.0.0.1:${port}` })).toMatchObject({
        detail: 'the server of NATS_URL does not accept the user in NATS_URL',
      });
      expect(await failure({ NATS_URL: `nats://127.0.0.1:${port}` })).toMatchObject({
        detail: expect.stringContaining('NATS_USER') as string,
      });
      expect(lines.join()).not.toContain(CANARY);
    });

    it('that NATS does not know for a while is used again: a connection that stood never gives up', async () => {
      const first = await room.start(logins);
      const forgetful = await room.start('authorization { users: [{ user: "somebody", password: "else" }] }');
      const proxy = await startTcpProxy(first.port);
      closers.push(() => proxy.stop());
      const NATS_URL = `nats://127.0.0.1:${proxy.port}`;
      const connection = await connected({ NATS_URL, NATS_USER: 'verifier', NATS_PASSWORD: `${CANARY}/@:` });
      let refused = 0;
      void (async () => {
        for await (const { type } of connection.status()) if (type === 'error') refused += 1;
      })();
      proxy.redirect(forgetful.port);
      proxy.cut();
      await until(() => refused >= 4);
      proxy.redirect(first.port);
      // The last try at the server that does not know it may still be under way.
      await until(() =>
        connection.flush().then(
          () => true,
          () => false,
        ),
      );
      expect(connection.isClosed()).toBe(false);
    });
  });
});

describe('a server that says nothing', () => {
  it('costs no connection that stays: each is closed before the next try', async () => {
    let open = 0;
    let most = 0;
    let all = 0;
    const silent = createServer((socket) => {
      open += 1;
      all += 1;
      most = Math.max(most, open);
      socket.on('error', () => undefined);
      socket.on('close', () => (open -= 1));
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const asker = createAsker({ servers: [`nats://127.0.0.1:${port}`], name: 'asker', logger });
    await until(() => all >= 3);
    expect(most).toBe(1);
    await asker.close();
    await new Promise<void>((resolve) => silent.close(() => resolve()));
  });
});
