import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { PROCESS, type ProcessContext } from '@vestibule/process';
import { createKeyring, type Keyring } from './keyring';

export const KEYRING = Symbol('keyring');

const keyring = ({ logger, metrics }: ProcessContext): Keyring => createKeyring({ logger, metrics });

/** The keys in devices of a service, closed with it. */
@Module({
  providers: [{ provide: KEYRING, inject: [PROCESS], useFactory: keyring }],
  exports: [KEYRING],
})
export class KeyringModule implements OnApplicationShutdown {
  constructor(@Inject(KEYRING) private readonly keys: Keyring) {}

  async onApplicationShutdown(): Promise<void> {
    await this.keys.close();
  }
}
