import { applyDecorators, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Addressed } from '../http/addresses';
import { TenantApi } from './tenant-api';

/** A controller of the wallet content API v1, which shares `api/wallet` with every other version. */
export const WalletContentApi = () =>
  applyDecorators(
    ApiTags('Wallet content'),
    TenantApi(),
    Addressed({ at: 'base', segments: 2 }),
    Controller('api/wallet/v1'),
  );
