import type { Sealer } from '@vestibule/crypto';
import { ProcessingFailure } from '@vestibule/foundation';
import {
  createRequestId,
  withRequestContext,
  type Configuration,
  type microserviceVariables,
  type ServiceContext,
} from '@vestibule/process';
import { createAudit } from './audit';
import { auditCommand } from './audit-command';
import { createDatabase, type Database } from './database';
import { databaseOptionsOf, sealerOf, type ServiceDatabase } from './database.module';
import { runMigrations } from './migrate';
import { resealRecords } from './reseal';

type Context = ServiceContext<Configuration<typeof microserviceVariables>>;
type Command = (context: Context) => Promise<void>;

/** The actor of what an operator does with a command of a service. */
const COMMAND = 'command';

/** A command that uses the database of a service, which is open and migrated while it runs; its actor is `command`. */
export function databaseCommand<C extends Context>(
  service: ServiceDatabase,
  work: (parts: C & { readonly database: Database; readonly sealer: Sealer }) => Promise<void>,
): (context: C) => Promise<void> {
  return async (context) => {
    const database = await createDatabase(databaseOptionsOf(service, context));
    context.onClose('database', () => database.close());
    await withRequestContext({ requestId: createRequestId(), actor: COMMAND }, () =>
      work({ ...context, database, sealer: sealerOf(context) }),
    );
  };
}

/** The commands of every service with a database. */
type DatabaseCommands = {
  readonly migrate: Command;
  /** Fails with `reseal_incomplete`. */
  readonly reseal: Command;
  /** Fails with `audit_chain_broken`. */
  readonly audit: Command;
};

/** The commands of a service with this database. */
export function databaseCommands(service: ServiceDatabase): DatabaseCommands {
  const { schema } = service;
  return {
    async migrate(context) {
      await runMigrations(databaseOptionsOf(service, context));
    },
    reseal: databaseCommand<Context>(service, async ({ database, sealer, logger }) => {
      // Before the work, which takes many transactions: whatever it changes is announced.
      await createAudit({ database, schema }).run(async () => ({
        result: undefined,
        entry: { action: 'records.reseal' },
      }));
      const { moved, broken, left } = await resealRecords({ database, registry: service.sealed, sealer, logger });
      if (broken + left > 0) {
        const what = `${broken} records cannot be opened, ${left} are still sealed with a key other than the first`;
        throw new ProcessingFailure('reseal_incomplete', what);
      }
      logger.info('every sealed record is under the first key: the other keys can be removed', { moved });
    }),
    audit: databaseCommand<Context>(service, ({ database }) =>
      auditCommand({ database, schema, output: process.stdout }, process.argv.slice(3)),
    ),
  };
}
