import type { ServiceDatabase } from '@vestibule/persistence';
import { MIGRATIONS, SCHEMA } from './migrations';
import { SEALED } from './sealed-columns';

/** The schema of the wallet store: its tables, and what is sealed in them. */
export const WALLET_STORE_DATABASE: ServiceDatabase = { schema: SCHEMA, migrations: MIGRATIONS, sealed: SEALED };
