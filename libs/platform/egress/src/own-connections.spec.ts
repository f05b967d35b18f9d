import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { until } from '@vestibule/testkit';
import { createEgress, type Egress, type GetOptions } from './index';

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const limits: GetOptions = {
  purpose: 'crl',
  accept: 'a/b',
  maxBytes: 100,
  timeoutMilliseconds: 60_000,
  maxRedirects: 0,
};

let server: Server;
let egress: Egress;
let url: string;
/** All connections that have arrived. */
let sockets: Socket[];
/** Connections that arrive while this is true are never answered. */
let isSilent: boolean;

beforeEach(async () => {
  sockets = [];
  isSilent = true;
  server = createServer((socket) => {
    const isLost = isSilent;
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => void (isLost || socket.end(ANSWER)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `issuer.test:${(server.address() as AddressInfo).port}`;
  egress = createEgress({ allowDevelopmentHosts: [host], resolve: async () => ['127.0.0.1'] });
  url = `http://${host}`;
});
afterEach(async () => {
  await egress.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const givenUp = (path: string) =>
  expect(egress.get(`${url}${path}`, { ...limits, timeoutMilliseconds: 50 })).rejects.toMatchObject({
    code: 'egress_timeout',
  });

const hasEnded = () => sockets.some(({ destroyed }) => destroyed);

/** Connections are accepted in their order: those that were begun earlier are there, too. Returns how many there are. */
async function countConnections(): Promise<number> {
  const probe = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await new Promise((resolve) => probe.once('connect', resolve));
  await until(() => sockets.some(({ remotePort }) => remotePort === probe.localPort));
  const isProbe = ({ remotePort }: Socket) => remotePort === probe.localPort;
  const count = sockets.filter((socket) => !isProbe(socket)).length;
  probe.destroy();
  return count;
}

describe('a request to a host that swallowed others', () => {
  it('VP:O17 goes over a connection of its own: those of requests that were given up are not used again', async () => {
    const waiting = egress.get(`${url}/waiting`, limits).catch(() => undefined);
    await givenUp('/given-up');
    await until(hasEnded);
    await countConnections();
    isSilent = false;
    expect((await egress.get(`${url}/new`, { ...limits, timeoutMilliseconds: 5_000 })).body.toString()).toBe('ok');
    await egress.close();
    await waiting;
  });

  it('VP:O17 is the only reason to connect: nothing connects for a request that was given up', async () => {
    await givenUp('/given-up');
    await until(hasEnded);
    expect(await countConnections()).toBe(1);
  });
});
