import { connect } from 'node:net';
import { Client } from 'pg';
import type { SharedStage } from './stage';

/** Every row of every table as text, byte columns in hexadecimal and as the text that they may be. */
async function dump(stage: SharedStage): Promise<string> {
  const client = new Client({ connectionString: stage.database.adminUrl });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('verifier', 'issuer', 'wallet_store')`,
    );
    expect(tables.rows.length).toBeGreaterThan(8);
    const parts: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<Record<string, unknown>>(`SELECT * FROM ${name}`);
      for (const row of rows) {
        for (const value of Object.values(row)) {
          parts.push(
            Buffer.isBuffer(value) ? `${value.toString('hex')} ${value.toString('latin1')}` : JSON.stringify(value),
          );
        }
      }
    }
    return parts.join('\n');
  } finally {
    await client.end();
  }
}

const spellings = (text: string) => [
  text,
  // What the bytes of an identifier or a secret are, where it is base64url.
  Buffer.from(text, 'base64url').toString('hex'),
  Buffer.from(text).toString('hex'),
  // Base64 of the text at each of its three alignments, without the characters that depend on its neighbours.
  ...[0, 1, 2].map((shift) =>
    Buffer.from(`${'x'.repeat(shift)}${text}`)
      .toString('base64')
      .slice(4, -4),
  ),
];

/** Database and logs hold none of the values, however they are written. */
export async function expectNoTraceIn(stage: SharedStage, values: readonly string[]): Promise<void> {
  const places = { database: await dump(stage), logs: stage.readLog().join('\n') };
  expect(places.logs.length).toBeGreaterThan(1_000);
  for (const [place, text] of Object.entries(places)) {
    for (const value of values) {
      for (const spelling of spellings(value)) expect(`${place}: ${text.includes(spelling)}`).toBe(`${place}: false`);
    }
  }
}

/** What NATS says of itself when somebody connects: with `jetstream` it would keep messages. */
export function readNatsGreeting(url: string): Promise<Record<string, unknown>> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.once('error', reject);
    socket.once('data', (bytes: Buffer) => {
      socket.destroy();
      resolve(JSON.parse(bytes.toString('utf8').replace(/^INFO /, '')) as Record<string, unknown>);
    });
  });
}
