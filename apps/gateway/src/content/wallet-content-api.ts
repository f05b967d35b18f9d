import { applyDecorators, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Addressed } from '../http/addresses';
import { TenantApi } from './tenant-api';

/** A controller of the wallet content API v1, of which `api/wallet` is the part that every version shares. */
export const WalletContentApi = () =>
  applyDecorators(
    ApiTags('Wallet content'),
    TenantApi(),
    Addressed({ at: 'base', segments: 2 }),
    Controller('api/wallet/v1'),
  );
