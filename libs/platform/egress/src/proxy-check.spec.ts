import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { CheckContext } from '@vestibule/process';
import { egressProxyCheck } from './proxy-check';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const OPEN = 'HTTP/1.1 200 OK\r\n\r\n';
const REFUSED = 'HTTP/1.1 403 Forbidden\r\n\r\n';
const UNREACHABLE = 'HTTP/1.1 502 Bad Gateway\r\n\r\n';
const INSTANCE = '169.254.169.254:80';

/** What the check finds of a proxy on a loopback address that gives these answers. */
async function findingsOf(answerTo: (place: string, own: string) => string) {
  const asked: string[] = [];
  const server = createServer();
  let own = '';
  server.on('connect', ({ url = '' }: IncomingMessage, socket: Socket) => {
    asked.push(url.replace(own, 'own'));
    socket.on('error', () => socket.destroy());
    socket.end(answerTo(url, own));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const configuration = { egressProxies: new Map([['crl', `http://user:secret@${own}`]]) };
  const context = { configuration } as unknown as CheckContext<typeof configuration>;
  const found = await egressProxyCheck<typeof configuration>(() => []).run(context);
  const told = found.map(({ code, about }) => `${code}: ${about.replaceAll(own, 'own')}`);
  expect(JSON.stringify(told)).not.toMatch(/user|secret/);
  return { told, asked };
}

describe('vestibule doctor, of an outbound proxy', () => {
  it('finds nothing where addresses inside are refused, or nobody is there', async () => {
    const { told, asked } = await findingsOf((_place, own) => (_place === own ? REFUSED : UNREACHABLE));
    expect(told).toEqual([]);
    expect(asked).toEqual(['vestibule-doctor.invalid:443', 'own', INSTANCE]);
  });

  it.each([
    ['itself', (place: string, own: string) => (place === own ? OPEN : REFUSED), 'own'],
    ['the address of instances', (place: string) => (place === INSTANCE ? OPEN : REFUSED), INSTANCE],
  ])('warns where a tunnel leads inside: to %s', async (_what, answerTo, place) => {
    const { told } = await findingsOf(answerTo);
    expect(told).toEqual([`egress_proxy_leads_inside: http://own to ${place}`]);
  });

  it('asks for nothing more where the proxy fails', async () => {
    const { told, asked } = await findingsOf(() => 'HTTP/1.1 407 Who\r\n\r\n');
    expect(told).toEqual(['egress_proxy_failed: http://own (egress_proxy_login)']);
    expect(asked).toHaveLength(1);
  });
});
