import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Pool } from 'pg';
import { findForms, type Form } from './canary';

/** Searched data: where it is, and its bytes. */
export interface Specimen {
  readonly where: string;
  readonly bytes: Buffer;
}

/** A place where nothing may be left. */
export interface Place {
  readonly name: string;
  read(): Promise<readonly Specimen[]>;
}

export interface Finding {
  readonly place: string;
  readonly where: string;
  readonly forms: readonly string[];
}

export interface Look {
  readonly place: string;
  readonly specimens: number;
  readonly bytes: number;
  readonly findings: readonly Finding[];
}

/** Reads a place and reports where it contains the canary. */
export async function lookAt(place: Place, forms: readonly Form[]): Promise<Look> {
  const specimens = await place.read();
  const findings = specimens.flatMap(({ where, bytes }) => {
    const found = findForms(bytes, forms);
    return found.length > 0 ? [{ place: place.name, where, forms: found }] : [];
  });
  const bytes = specimens.reduce((total, specimen) => total + specimen.bytes.byteLength, 0);
  return { place: place.name, specimens: specimens.length, bytes, findings };
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const asText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

const TABLES = `
  SELECT schemaname AS schema, tablename AS name FROM pg_tables
  WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2`;

async function readTable(client: Pool, table: string): Promise<readonly Specimen[]> {
  const { rows } = await client.query<Record<string, unknown>>(`SELECT * FROM ${table}`);
  return rows.flatMap((row) =>
    Object.entries(row).map(([column, value]) => ({
      where: `${table.replaceAll('"', '')}.${column}`,
      bytes: Buffer.isBuffer(value) ? value : Buffer.from(asText(value)),
    })),
  );
}

/** Every value of every table of the database. */
export const tables = (client: Pool): Place => ({
  name: 'database dump',
  async read() {
    const { rows } = await client.query<{ schema: string; name: string }>(TABLES);
    const parts: Specimen[] = [];
    for (const { schema, name } of rows) parts.push(...(await readTable(client, `${quoted(schema)}.${quoted(name)}`)));
    return parts;
  },
});

const TOAST = `
  SELECT main.oid::regclass::text AS owner, toast.relname AS name FROM pg_class AS main
  JOIN pg_class AS toast ON toast.oid = main.reltoastrelid
  WHERE main.relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`;

/** What Postgres stores outside of its tables' rows, in order, so that a value is complete again. */
export const toastTables = (client: Pool): Place => ({
  name: 'TOAST',
  async read() {
    const { rows } = await client.query<{ owner: string; name: string }>(TOAST);
    const parts: Specimen[] = [];
    for (const { owner, name } of rows) {
      const chunks = await client.query<{ bytes: Buffer }>(
        `SELECT string_agg(chunk_data, ''::bytea ORDER BY chunk_seq) AS bytes FROM pg_toast.${quoted(name)} GROUP BY chunk_id`,
      );
      parts.push(...chunks.rows.map(({ bytes }) => ({ where: `TOAST of ${owner}`, bytes })));
    }
    return parts;
  },
});

/** A file that disappears before it is read counts as empty. */
function readIfThere(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** Every file below the folders, including its name. */
export const files = (
  name: string,
  folders: readonly string[],
  prepare: () => Promise<void> = async () => {},
): Place => ({
  name,
  async read() {
    await prepare();
    return folders.flatMap((folder) =>
      filesBelow(folder).map((file) => {
        const where = path.relative(folder, file);
        return { where, bytes: Buffer.concat([Buffer.from(`${where}\n`), readIfThere(file)]) };
      }),
    );
  },
});

/**
 * Over a connection of its own: a search keeps this process busy for longer than a server keeps a connection, and one that
 * was kept would be found closed when the next question has been sent.
 */
const askOnce = (url: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => get(url, { agent: false }, resolve).once('error', reject));

/** What a process returns at its addresses. */
export const addresses = (name: string, urls: readonly string[]): Place => ({
  name,
  read: () =>
    Promise.all(
      urls.map(async (url) => {
        const response = await askOnce(url);
        if (response.statusCode !== 200) throw new Error(`${url} answers ${response.statusCode}`);
        return { where: new URL(url).host, bytes: await buffer(response) };
      }),
    ),
});

/** Strings that were collected during the run. */
export const collected = (name: string, texts: readonly string[]): Place => ({
  name,
  read: () => Promise.resolve(texts.map((text, index) => ({ where: `number ${index + 1}`, bytes: Buffer.from(text) }))),
});
