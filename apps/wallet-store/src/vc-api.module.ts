import { Module } from '@nestjs/common';
import { VcApiController } from './adapters/nats/vc-api.controller';
import type { Tenants, Understand, Wallets } from './domain/ports';
import { StoresModule, TENANTS, UNDERSTAND, WALLETS } from './stores.module';
import { signGivenCredential, verifyGivenCredential, verifyGivenPresentation } from './use-cases/vc-api';

const clock = () => new Date();

/** The VC API: signs and verifies given documents and stores nothing. */
@Module({
  imports: [StoresModule],
  controllers: [VcApiController],
  providers: [
    {
      provide: signGivenCredential,
      inject: [TENANTS, WALLETS, UNDERSTAND],
      useFactory: ({ findTenant }: Tenants, { findEntityKey }: Wallets, understand: Understand) =>
        signGivenCredential({ clock, findTenant, findEntityKey, understand }),
    },
    {
      provide: verifyGivenCredential,
      inject: [TENANTS, UNDERSTAND],
      useFactory: ({ findTenant }: Tenants, understand: Understand) =>
        verifyGivenCredential({ clock, findTenant, understand }),
    },
    {
      provide: verifyGivenPresentation,
      inject: [TENANTS, UNDERSTAND],
      useFactory: ({ findTenant }: Tenants, understand: Understand) =>
        verifyGivenPresentation({ clock, findTenant, understand }),
    },
  ],
})
export class VcApiModule {}
