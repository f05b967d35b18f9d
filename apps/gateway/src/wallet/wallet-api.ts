import { applyDecorators, UseFilters } from '@nestjs/common';
import { Addressed, type Addressing, type Place } from '../http/addresses';
import { ParsesBodies } from '../http/body-parsing';
import { PipesAtOnce } from '../http/prompt-pipes';
import { OAuthErrorFilter } from './oauth-error.filter';
import { WALLET_BODIES } from './wallet-bodies';

/** A controller for wallets and for verifiers of issued credentials: forms, JSON and JWEs in, OAuth JSON for errors. */
export const WalletApi = (at: Place, where: Addressing['where'] = {}) =>
  applyDecorators(ParsesBodies(WALLET_BODIES), UseFilters(OAuthErrorFilter), Addressed({ at, where }), PipesAtOnce());
