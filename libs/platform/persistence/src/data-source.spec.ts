import type { Logger } from '@vestibule/process';
import { workingPool } from './data-source';

const nothing = () => undefined;
const logger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

describe('the connections that a service works with', () => {
  it('outlast a pause of minutes, so that the flows after it need not wait for new ones', async () => {
    const url = 'postgres://verifier@127.0.0.1:5432/vestibule';
    const pool = workingPool({ url, schema: 'verifier', applicationName: 'test', migrations: [], logger });
    expect(pool.options.idleTimeoutMillis).toBeGreaterThanOrEqual(60_000);
    await pool.end();
  });
});
