import path from 'node:path';
import { startEmbeddedPostgres } from './embedded-postgres';
import { startBroker } from './nats-broker';
import { provisionDatabase, type ServiceUrls } from './provision-database';
import { type StackSecrets } from './stack-files';

/** Which Postgres and which NATS a stack uses; absent ones are started for it. */
export interface ServerChoice {
  /** An admin URL; roles and schemas are created in its database. */
  readonly databaseUrl?: string;
  /** A database that already has its roles and schemas. */
  readonly databaseUrls?: ServiceUrls;
  readonly natsUrl?: string;
}

export interface StackServers {
  readonly databaseUrls: ServiceUrls;
  /** For reading everything; absent if only service URLs were given. */
  readonly adminUrl?: string;
  readonly natsUrl: string;
  /** Ends the servers that were started here; call it last. */
  stop(): Promise<void>;
}

const DATABASE = 'vestibule';
/** Answers of two of the apps may contain a wallet's body of 1 MiB as JSON. */
const MAX_PAYLOAD_BYTES = 2 * 1024 * 1024;

type Stop = () => Promise<void>;

interface ServerPlace {
  /** Where the data is kept; by default it is deleted at the end. */
  readonly folder?: string;
  readonly secrets: StackSecrets;
  /** Called with each line of Postgres's log. */
  readonly onLog?: (line: string) => void;
}

async function openDatabase(choice: ServerChoice, place: ServerPlace, stops: Stop[]) {
  if (choice.databaseUrls) return { databaseUrls: choice.databaseUrls };
  const passwords = place.secrets.databasePasswords;
  if (choice.databaseUrl !== undefined) {
    return {
      databaseUrls: await provisionDatabase({ adminUrl: choice.databaseUrl, passwords }),
      adminUrl: choice.databaseUrl,
    };
  }
  const dataFolder = place.folder === undefined ? undefined : path.join(place.folder, 'postgres');
  const postgres = await startEmbeddedPostgres({ dataFolder, onLog: place.onLog });
  stops.push(() => postgres.stop());
  const databaseUrls = await provisionDatabase({ adminUrl: postgres.adminUrl, database: DATABASE, passwords });
  return { databaseUrls, adminUrl: postgres.adminUrl.replace(/\/postgres$/, `/${DATABASE}`) };
}

async function openNats(choice: ServerChoice, stops: Stop[]): Promise<string> {
  if (choice.natsUrl !== undefined) return choice.natsUrl;
  const broker = await startBroker({ maxPayloadBytes: MAX_PAYLOAD_BYTES });
  stops.push(() => broker.stop());
  return broker.url;
}

/** Starts Postgres, with its roles and schemas, and NATS, or uses the given ones. */
export async function startServers(choice: ServerChoice, place: ServerPlace): Promise<StackServers> {
  const stops: Stop[] = [];
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  try {
    const natsUrl = await openNats(choice, stops);
    const database = await openDatabase(choice, place, stops);
    return { ...database, natsUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
