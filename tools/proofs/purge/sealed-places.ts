import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createSealer, type Sealer } from '@vestibule/crypto';
import type { SealedColumn, SealedRegistry } from '@vestibule/persistence';
import type { Pool } from 'pg';
import { findForms, type Form } from './canary';
import type { Place, Specimen } from './places';

const SERVICES = ['verifier', 'issuer', 'wallet-store'];

/** The lists of sealed columns that the services use for resealing; by default of all three. */
export function loadRegistries(root: string, services: readonly string[] = SERVICES): readonly SealedRegistry[] {
  const load = createRequire(__filename);
  return services.map((app) => {
    const file = path.join(root, 'dist/apps', app, 'src/adapters/postgres/sealed-columns.js');
    return (load(file) as { readonly SEALED: SealedRegistry }).SEALED;
  });
}

interface SealedRow {
  readonly sealed: Buffer;
  readonly [key: string]: unknown;
}

async function openColumn(client: Pool, schema: string, column: SealedColumn, sealer: Sealer): Promise<Specimen[]> {
  const keys = column.key.map((name) => `, "${name}"`).join('');
  const { rows } = await client.query<SealedRow>(
    `SELECT "${column.column}" AS sealed${keys} FROM "${schema}"."${column.table}" WHERE "${column.column}" IS NOT NULL`,
  );
  const where = `${schema}.${column.table}.${column.column}`;
  return rows.map((row) => ({ where, bytes: sealer.open(row.sealed, column.contextOf(row)) }));
}

/** Every sealed value of the database, opened with the key: what an attacker with both would see. */
export function openedRecords(client: Pool, registries: readonly SealedRegistry[], key: string): Place {
  const sealer = createSealer([Buffer.from(key, 'base64url')], randomBytes);
  return {
    name: 'sealed records, opened',
    async read() {
      const parts: Specimen[] = [];
      for (const { schema, sealed } of registries)
        for (const column of sealed) parts.push(...(await openColumn(client, schema, column, sealer)));
      return parts;
    },
  };
}

/** When a sealed column contained a canary: seconds since the start. */
export interface Stay {
  readonly first: number;
  readonly last: number;
  readonly gone: number | undefined;
}

export interface Watch {
  readonly stays: ReadonlyMap<string, Stay>;
  /** True if the last look found no canary anywhere. */
  isClean(): boolean;
  stop(): Promise<void>;
}

const EVERY_MILLISECONDS = 150;

/** Repeatedly checks which sealed columns contain a canary. While Postgres is unavailable, nothing is seen. */
export function watchRecords(place: Place, forms: readonly Form[], elapsed: () => number): Watch {
  const stays = new Map<string, Stay>();
  let running = true;
  let clean = false;

  const look = async (): Promise<void> => {
    const specimens = await place.read();
    const now = elapsed();
    const holding = new Set(
      specimens.filter(({ bytes }) => findForms(bytes, forms).length > 0).map(({ where }) => where),
    );
    for (const where of holding)
      stays.set(where, { first: stays.get(where)?.first ?? now, last: now, gone: undefined });
    for (const [where, stay] of stays)
      if (!holding.has(where) && stay.gone === undefined) stays.set(where, { ...stay, gone: now });
    clean = holding.size === 0;
  };
  const watching = (async () => {
    while (running) {
      // A restart of Postgres in the middle is part of the proof; the final looks tolerate no errors.
      await look().catch(() => (clean = false));
      await new Promise((resolve) => setTimeout(resolve, EVERY_MILLISECONDS));
    }
  })();
  return {
    stays,
    isClean: () => clean,
    async stop() {
      running = false;
      await watching;
    },
  };
}
