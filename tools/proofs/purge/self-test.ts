import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { createSealer } from '@vestibule/crypto';
import type { SealedRegistry } from '@vestibule/persistence';
import type { Pool } from 'pg';
import { type Canary, createCanary, formsOf, type Form } from './canary';
import { addresses, collected, files, lookAt, tables, toastTables, type Place } from './places';
import { openedRecords } from './sealed-places';
import { tapBus } from './bus-tap';

/** Searched places in which something can be hidden. */
export interface HidingPlaces {
  readonly pool: Pool;
  readonly natsUrl: string;
  readonly logFile: string;
  readonly temporaryFolder: string;
  readonly clusterFolder: string;
  readonly registries: readonly SealedRegistry[];
  readonly sealingKey: string;
}

/** A place, what was hidden there, and in which forms it was found. */
export interface Trial {
  readonly place: string;
  readonly hidden: number;
  readonly found: number;
}

const FILLER = 40_000;
/** Its zero bytes do not fit into text. */
const withoutUtf16 = (forms: readonly Form[]) => forms.filter(({ name }) => name !== 'UTF-16');

async function found(place: Place, forms: readonly Form[]): Promise<number> {
  let count = 0;
  for (const form of forms) if ((await lookAt(place, [form])).findings.length > 0) count += 1;
  return count;
}

const trial = async (place: Place, forms: readonly Form[]): Promise<Trial> => ({
  place: place.name,
  hidden: forms.length,
  found: await found(place, forms),
});

/** Rows with each form as text and as bytes, long ones for TOAST, and rows that are deleted but still on disk. */
async function hideInDatabase(
  { pool, clusterFolder }: HidingPlaces,
  forms: readonly Form[],
): Promise<readonly Trial[]> {
  await pool.query('CREATE SCHEMA hiding_place');
  try {
    await pool.query('CREATE TABLE hiding_place.row (text text, bytes bytea, long bytea)');
    await pool.query('ALTER TABLE hiding_place.row ALTER COLUMN long SET STORAGE EXTERNAL');
    const trials: Trial[] = [];
    for (const [at, column] of (['text', 'bytes', 'long'] as const).entries()) {
      const possible = at === 0 ? withoutUtf16(forms) : forms;
      for (const { bytes } of possible) {
        const long = Buffer.concat([randomBytes(FILLER), bytes, randomBytes(FILLER)]);
        const value = [bytes.toString('utf8'), bytes, long][at];
        await pool.query(`INSERT INTO hiding_place.row (${column}) VALUES ($1)`, [value]);
      }
      trials.push(await trial(at === 2 ? toastTables(pool) : tables(pool), possible));
      await pool.query('DELETE FROM hiding_place.row');
    }
    await pool.query('CHECKPOINT');
    trials.push(await trial(files('data files and WAL', [clusterFolder]), forms));
    return trials;
  } finally {
    await pool.query('DROP SCHEMA hiding_place CASCADE');
  }
}

async function hideUnderSeal(places: HidingPlaces, forms: readonly Form[]): Promise<Trial> {
  const { pool, registries, sealingKey } = places;
  const sealer = createSealer([Buffer.from(sealingKey, 'base64url')], randomBytes);
  const place = openedRecords(pool, registries, sealingKey);
  let count = 0;
  for (const { schema, sealed } of registries) {
    const column = sealed.find(({ table }) => table === 'idempotency_key');
    if (!column) throw new Error(`${schema} has no table of idempotent calls`);
    const digest = randomBytes(32);
    const content = sealer.seal(
      Buffer.concat(forms.map(({ bytes }) => bytes)),
      column.contextOf({ key_digest: digest }),
    );
    await pool.query(`INSERT INTO ${schema}.idempotency_key VALUES ($1, $1, $2, now() + interval '1 day')`, [
      digest,
      content,
    ]);
    count += await found(place, forms);
    await pool.query(`DELETE FROM ${schema}.idempotency_key WHERE key_digest = $1`, [digest]);
  }
  return { place: place.name, hidden: forms.length * registries.length, found: count };
}

async function hideInFiles({ logFile, temporaryFolder }: HidingPlaces, forms: readonly Form[]): Promise<Trial[]> {
  const folder = path.join(temporaryFolder, 'hiding-place');
  mkdirSync(folder, { recursive: true });
  for (const [index, { bytes }] of forms.entries()) writeFileSync(path.join(folder, `${index}`), bytes);
  const temporary = await trial(files('temporary files', [temporaryFolder]), forms);
  rmSync(folder, { recursive: true });
  const lines = forms.map(({ bytes }) => bytes);
  appendFileSync(
    logFile,
    Buffer.concat(lines.flatMap((line) => [Buffer.from('self-test | '), line, Buffer.from('\n')])),
  );
  return [temporary, await trial(files('logs', [path.dirname(logFile)]), forms)];
}

async function hideBehindAddress(forms: readonly Form[]): Promise<Trial> {
  const text = Buffer.concat(forms.map(({ bytes }) => bytes));
  const server: Server = createServer((_, response) => void response.end(text));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
  try {
    return await trial(addresses('metrics', [url]), forms);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** A message with the canary in its body and subject, and a service that claims to store messages. */
async function hideOnBus({ natsUrl }: HidingPlaces, { core }: Canary, forms: readonly Form[]): Promise<Trial[]> {
  const tap = await tapBus(natsUrl, forms, () => 0);
  const connection: NatsConnection = await connect({ servers: [natsUrl] });
  try {
    connection.subscribe('$JS.API.STREAM.NAMES', {
      callback: (_, message) => void message.respond(JSON.stringify({ streams: [core] })),
    });
    connection.publish(`hiding.${core}`, core);
    await connection.flush();
    const plain = forms.filter(({ bytes }) => bytes.toString() === core);
    const stores = await trial(tap.stores, plain);
    const envelopes = await trial(tap.envelopes, plain);
    const bodies = { place: 'bus: bodies in transit', hidden: 1, found: tap.carried().messages > 0 ? 1 : 0 };
    return [envelopes, bodies, stores];
  } finally {
    await connection.close();
    await tap.stop();
  }
}

/** Hides a separate canary in every place, in every form that the place can hold, and reports how many were found. */
export async function runSelfTest(places: HidingPlaces): Promise<readonly Trial[]> {
  const canary = createCanary();
  const forms = formsOf(canary);
  const texts = withoutUtf16(forms);
  return [
    ...(await hideInDatabase(places, forms)),
    await hideUnderSeal(places, forms),
    ...(await hideInFiles(places, forms)),
    await hideBehindAddress(forms),
    ...(await hideOnBus(places, canary, forms)),
    await trial(
      collected(
        'error answers',
        texts.map(({ bytes }) => bytes.toString('utf8')),
      ),
      texts,
    ),
  ];
}
