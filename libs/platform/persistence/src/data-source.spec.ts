import { createServer, type AddressInfo } from 'node:net';
import type { Logger } from '@vestibule/process';
import { workingPool } from './data-source';

const nothing = () => undefined;
const logger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** The parameters of the first session that a service asks for at a server that gives it none. */
async function startOf(query: string): Promise<Readonly<Record<string, string | undefined>>> {
  let started: (packet: Buffer) => void = nothing;
  const packet = new Promise<Buffer>((resolve) => (started = resolve));
  const server = createServer((socket) => {
    socket.on('error', nothing);
    socket.once('data', (bytes) => {
      started(bytes);
      socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `postgres://verifier@127.0.0.1:${(server.address() as AddressInfo).port}/vestibule${query}`;
  const pool = workingPool({ url, schema: 'verifier', applicationName: 'test', migrations: [], logger });
  await expect(pool.query('SELECT 1')).rejects.toThrow();
  await pool.end();
  await new Promise((resolve) => server.close(resolve));
  const words = (await packet).subarray(8).toString('utf8').split('\0');
  return Object.fromEntries(words.flatMap((word, at) => (at % 2 === 0 && word !== '' ? [[word, words[at + 1]]] : [])));
}

describe('what a session starts with', () => {
  const OWN = `-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3 -c tcp_user_timeout=60000 -c default_transaction_isolation=read\\ committed -c enable_seqscan=off -c jit=off`;

  it.each<[string, string | undefined]>([
    ['', OWN],
    ['?options=-c%20search_path%3Dx', `${OWN} -c search_path=x`],
    ['?options=', undefined],
  ])(
    'are the options of the URL, none if they are empty there, and never those of the environment: %s',
    async (query, options) => {
      // eslint-disable-next-line no-restricted-properties -- the driver reads it
      process.env['PGOPTIONS'] = '-c search_path=environment';
      const { user, database, options: sent, DateStyle: dates } = await startOf(query);
      expect([user, database, sent, dates]).toEqual(['verifier', 'vestibule', options, 'ISO']);
    },
  );
});

describe('the connections that a service works with', () => {
  it('outlast a pause of minutes, so that the flows after it need not wait for new ones', async () => {
    const url = 'postgres://verifier@127.0.0.1:5432/vestibule';
    const pool = workingPool({ url, schema: 'verifier', applicationName: 'test', migrations: [], logger });
    expect(pool.options.idleTimeoutMillis).toBeGreaterThanOrEqual(60_000);
    await pool.end();
  });
});
