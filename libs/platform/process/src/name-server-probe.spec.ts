import { createSocket } from 'node:dgram';
import { createProbe, type ProbeAnswer } from './name-server-probe';

const AAAA = 28;
const HEADER_BYTES = 12;

/** Asks a name server that knows no name, and is silent about questions of these types. */
async function ask(hostname: string, silentAbout: (type: number) => boolean): Promise<ProbeAnswer> {
  const server = createSocket('udp4');
  server.on('message', (query, { port, address }) => {
    if (silentAbout(query.readUInt16BE(query.indexOf(0, HEADER_BYTES) + 1))) return;
    const answer = Buffer.from(query);
    // A response, NXDOMAIN.
    answer.writeUInt16BE(0x8183, 2);
    server.send(answer, port, address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  try {
    const probe = createProbe([`127.0.0.1:${server.address().port}`]);
    return await new Promise<ProbeAnswer>((resolve) => probe(hostname, resolve));
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

describe('a name server that is asked for a name', () => {
  it('has answered also where there is no such name', async () => {
    expect(await ask('a.example', () => false)).toBe('no_address');
  });

  it.each([
    ['both families', () => true],
    ['IPv6 alone', (type: number) => type === AAAA],
  ])(
    'has not answered if it is silent about %s: the operating system would wait for it',
    async (_families, isSilent) => {
      expect(await ask('a.example', isSilent)).toBe('silence');
    },
  );

  it('is not asked for what is no name, and keeps nothing waiting', async () => {
    expect(await ask('a'.repeat(64), () => true)).toBe('no_address');
  });
});
