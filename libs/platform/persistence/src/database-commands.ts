import type { Sealer } from '@vestibule/crypto';
import { ProcessingFailure } from '@vestibule/foundation';
import type { Configuration, microserviceVariables, ServiceContext } from '@vestibule/process';
import { createDatabase, type Database } from './database';
import { databaseOptionsOf, sealerOf, type ServiceDatabase } from './database.module';
import { runMigrations } from './migrate';
import { resealRecords } from './reseal';

type Context = ServiceContext<Configuration<typeof microserviceVariables>>;
type Command = (context: Context) => Promise<void>;

/** A command that uses the database of a service, which is open and migrated while it runs. */
export function databaseCommand<C extends Context>(
  service: ServiceDatabase,
  work: (parts: C & { readonly database: Database; readonly sealer: Sealer }) => Promise<void>,
): (context: C) => Promise<void> {
  return async (context) => {
    const database = await createDatabase(databaseOptionsOf(service, context));
    context.onClose('database', () => database.close());
    await work({ ...context, database, sealer: sealerOf(context) });
  };
}

/** The commands of every service with a database: `migrate`, and `reseal`, which fails with `reseal_incomplete`. */
export function databaseCommands(service: ServiceDatabase): { readonly migrate: Command; readonly reseal: Command } {
  return {
    async migrate(context) {
      await runMigrations(databaseOptionsOf(service, context));
    },
    reseal: databaseCommand<Context>(service, async ({ database, sealer, logger }) => {
      const { moved, broken, left } = await resealRecords({ database, registry: service.sealed, sealer, logger });
      if (broken + left > 0) {
        const what = `${broken} records cannot be opened, ${left} are still sealed with a key other than the first`;
        throw new ProcessingFailure('reseal_incomplete', what);
      }
      logger.info('every sealed record is under the first key: the other keys can be removed', { moved });
    }),
  };
}
