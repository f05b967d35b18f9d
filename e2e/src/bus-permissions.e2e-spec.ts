import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import path from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { APP_NAMES, type AppName, findProgram, readTestEnvironment, startNatsServer } from '@vestibule/dev-stack';
import { until } from '@vestibule/testkit';
import { issueTo, requestPresentation } from './flows';
import { startStage, type Stage } from './stage';

const root = path.resolve(__dirname, '../..');
/** Not a static import, by which every export would count as used. */
const contracts = createRequire(__filename)(path.join(root, 'libs/platform/contracts/src/index.ts')) as object;
const binary = findProgram('nats-server', readTestEnvironment().searchPath);

/** What compose mounts into the container of NATS, in a folder. */
function makeContainer(): { readonly folder: string; readonly configuration: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-bus-'));
  for (const name of ['deploy', 'run', 'etc/nats']) mkdirSync(path.join(folder, name), { recursive: true });
  const script = path.join(folder, 'deploy/make-secrets.sh');
  copyFileSync(path.join(root, 'deploy/make-secrets.sh'), script);
  execFileSync('sh', [script], { env: { ...readPath(), NATS_NAMES: 'nats,localhost' }, stdio: 'pipe' });
  symlinkSync(path.join(folder, 'deploy/secrets'), path.join(folder, 'run/secrets'));
  const configuration = path.join(folder, 'etc/nats/nats.conf');
  const text = readFileSync(path.join(root, 'deploy/nats.conf'), 'utf8');
  // Only the absolute paths of the container, and the port for its health check.
  const own = text.replaceAll('"/run/secrets/', `"${folder}/run/secrets/`).replace('127.0.0.1:8222', '127.0.0.1:-1');
  writeFileSync(configuration, own);
  return { folder, configuration };
}

function readPath(): { PATH: string } {
  return { PATH: readTestEnvironment().searchPath ?? '' };
}

(binary === undefined ? describe.skip : describe)('the bus as docker-compose.yml has it', () => {
  let container: ReturnType<typeof makeContainer>;
  let server: Awaited<ReturnType<typeof startNatsServer>>;
  let stage: Stage;
  const clients: NatsConnection[] = [];
  const secret = (name: string) => path.join(container.folder, 'deploy/secrets', name);
  const passwordFile = (app: AppName) => secret(`${app.replace('-', '_')}_nats_password`);

  beforeAll(async () => {
    container = makeContainer();
    server = await startNatsServer(binary ?? '', ['-c', container.configuration]);
    const url = `tls://localhost:${new URL(server.url).port}`;
    const environmentOf = (app: AppName) => ({
      NATS_URL: url,
      NATS_CA_FILE: secret('nats_ca'),
      NATS_USER: app,
      NATS_PASSWORD_FILE: passwordFile(app),
    });
    const environment = Object.fromEntries(APP_NAMES.map((app) => [app, environmentOf(app)]));
    stage = await startStage({ environment });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });
  afterAll(async () => {
    await stage?.stop();
    await server?.stop();
    if (container) rmSync(container.folder, { recursive: true });
  });

  /** Whoever has the credentials of this program, and what NATS has refused. */
  async function intruder(app: AppName) {
    const client = await connect({
      servers: `localhost:${new URL(server.url).port}`,
      tls: { caFile: secret('nats_ca') },
      user: app,
      pass: readFileSync(passwordFile(app), 'utf8'),
      resolve: false,
      reconnect: false,
    });
    clients.push(client);
    const refused: string[] = [];
    void (async () => {
      for await (const status of client.status())
        if (status.type === 'error') refused.push((status.error as { operation?: string }).operation ?? 'other');
    })();
    const heard: string[] = [];
    return {
      client,
      heard,
      async refusals(act: (client: NatsConnection) => void): Promise<readonly string[]> {
        refused.splice(0);
        act(client);
        await client.flush();
        // What the server refuses it says before its answer to the flush; the status is read a turn later.
        await new Promise((resolve) => setImmediate(resolve));
        return [...refused];
      },
      listen: (subject: string, queue?: string) =>
        void client.subscribe(subject, {
          ...(queue === undefined ? {} : { queue }),
          callback: (error, message) => void (error ? undefined : heard.push(message.subject)),
        }),
    };
  }

  it('carries an issuance, a presentation and a call of the wallet store', async () => {
    const wallet = stage.createWallet();
    await issueTo(stage, wallet);
    const { state, crossDevice } = await requestPresentation(stage);
    expect((await wallet.present(crossDevice)).status).toBe(200);
    expect((await stage.callbacksOf(state, 1))[0]).toMatchObject({ status: 'FULFILLED' });
    await until(async () => (await stage.management('GET', '/health/ready')).status === 200);
    expect(stage.readLog().filter((line) => line.includes('NATS refuses') || line.includes('NATS reports'))).toEqual(
      [],
    );
  });

  const subjects = Object.values(contracts)
    .flatMap((value) => (typeof value === 'object' && value !== null ? [value, ...Object.values(value)] : []))
    .flatMap((value) => (value as { subject?: unknown } | null)?.subject ?? [])
    .filter((subject): subject is string => typeof subject === 'string' && subject.split('.').length === 3);

  it.each(APP_NAMES)('lets %s do all that its contracts need', async (app) => {
    const { refusals, listen } = await intruder(app);
    const own = subjects.filter((subject) => subject.startsWith(`${app}.`));
    if (app === 'gateway') {
      // An empty message is a question that every service refuses.
      expect(await refusals((client) => subjects.forEach((subject) => client.publish(subject)))).toEqual([]);
      expect(await refusals(() => listen('_INBOX_gateway.abc.*'))).toEqual([]);
    } else {
      expect(own.length).toBeGreaterThan(5);
      expect(await refusals(() => own.forEach((subject) => listen(subject, app)))).toEqual([]);
    }
  });

  const OTHER: Readonly<Record<string, AppName>> = {
    issuer: 'verifier',
    verifier: 'issuer',
    'wallet-store': 'verifier',
  };

  it.each(['issuer', 'verifier', 'wallet-store'] as const)(
    'lets the credentials of %s do nothing else',
    async (app) => {
      const { refusals, listen, heard } = await intruder(app);
      const other = OTHER[app] ?? 'verifier';
      const question = subjects.find((subject) => subject.startsWith(`${other}.`)) ?? '';
      const own = subjects.find((subject) => subject.startsWith(`${app}.`)) ?? '';
      const listening: readonly (readonly [string, string?])[] = [
        [question],
        [question, other],
        [question, app],
        [`${other}.>`],
        [`${other}.*.*`, other],
        ['>'],
        ['*.*.*', app],
        // Its own questions, but beside its queue group: it would hear what the other replicas hear.
        [own],
        [own, 'spy'],
        [`${app}.>`, app],
        ['_INBOX_gateway.>'],
        ['_INBOX_gateway.*.*'],
        ['_INBOX.>'],
        [`_INBOX_${app}.>`],
        ['$SYS.>'],
        ['$SYS.REQ.SERVER.PING'],
      ];
      for (const [subject, queue] of listening)
        expect([subject, queue, await refusals(() => listen(subject, queue))]).toEqual([
          subject,
          queue,
          ['subscription'],
        ]);
      for (const subject of [question, own, '_INBOX_gateway.a.b', '_INBOX.a.b', '$SYS.REQ.SERVER.PING', 'anything'])
        expect([subject, await refusals((client) => client.publish(subject, 'x'))]).toEqual([subject, ['publish']]);
      await requestPresentation(stage);
      expect(heard).toEqual([]);
    },
  );

  it('lets the credentials of the gateway hear no question and answer none', async () => {
    const { refusals, listen } = await intruder('gateway');
    const question = subjects[0] ?? '';
    for (const subject of [question, '>', '_INBOX.>', '_INBOX_verifier.>', '$SYS.>'])
      expect([subject, await refusals(() => listen(subject))]).toEqual([subject, ['subscription']]);
    for (const subject of ['_INBOX_gateway.a.b', '$SYS.REQ.SERVER.PING'])
      expect([subject, await refusals((client) => client.publish(subject, 'x'))]).toEqual([subject, ['publish']]);
  });

  it('lets a service answer each question once', async () => {
    const asking = await intruder('gateway');
    const answering = await intruder('verifier');
    const question = subjects.find((subject) => subject.startsWith('verifier.')) ?? '';
    await stage.stack.process('verifier').stop();
    const replies: string[] = [];
    answering.client.subscribe(question, {
      queue: 'verifier',
      callback: (error, message) => void (error ? undefined : replies.push(message.reply ?? '')),
    });
    await answering.client.flush();
    asking.listen('_INBOX_gateway.mine.*');
    await asking.client.flush();
    asking.client.publish(question, '{}', { reply: '_INBOX_gateway.mine.one' });
    await until(() => replies.length === 1);
    expect(await answering.refusals((client) => client.publish(replies[0] ?? '', 'first'))).toEqual([]);
    expect(await answering.refusals((client) => client.publish(replies[0] ?? '', 'second'))).toEqual(['publish']);
    await until(() => asking.heard.length === 1);
  });

  it('takes nobody without credentials, nor anybody without TLS', async () => {
    const port = new URL(server.url).port;
    const stranger = { servers: `localhost:${port}`, resolve: false, reconnect: false };
    await expect(connect({ ...stranger, tls: { caFile: secret('nats_ca') } })).rejects.toThrow();
    await expect(connect({ ...stranger, tls: null, user: 'issuer', pass: 'x' })).rejects.toThrow();
  });
});
