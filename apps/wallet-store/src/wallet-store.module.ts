import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Egress } from '@vestibule/egress';
import { BusModule } from '@vestibule/messaging';
import { DatabaseModule } from '@vestibule/persistence';
import type { Timer } from '@vestibule/process';
import { KeysController } from './adapters/nats/keys.controller';
import { WALLET_STORE_DATABASE } from './adapters/postgres/database';
import type { Canonicalizer } from './adapters/threads/canonicalizer';
import { ContentModule } from './content.module';
import { SchemasModule } from './schemas.module';
import { StatusModule } from './status.module';
import { CANONICALIZER, EGRESS, PURGE, StoresModule } from './stores.module';
import { VcApiModule } from './vc-api.module';

/**
 * The wallet store: its stores, its use cases over them, and its requests over the bus. Its modules are the only
 * wiring.
 */
@Module({
  imports: [
    DatabaseModule.forRoot(WALLET_STORE_DATABASE),
    BusModule.forRoot(),
    StoresModule,
    ContentModule,
    SchemasModule,
    StatusModule,
    VcApiModule,
  ],
  controllers: [KeysController],
})
export class WalletStoreModule implements OnApplicationShutdown {
  constructor(
    @Inject(PURGE) private readonly purging: Timer,
    @Inject(CANONICALIZER) private readonly threads: Canonicalizer,
    @Inject(EGRESS) private readonly fetcher: Egress,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.fetcher.close();
    await this.threads.close();
    await this.purging.stop();
  }
}
