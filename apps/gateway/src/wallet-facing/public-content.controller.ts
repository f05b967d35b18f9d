import { Controller, UseFilters } from '@nestjs/common';
import { WalletContentController } from '../content/wallet-content.controller';
import { ProblemDetailsFilter } from '../http/problem-details.filter';

/** The wallet content API on the public listener: its errors stay problem details there. */
@Controller('api/wallet/v1')
@UseFilters(ProblemDetailsFilter)
export class PublicContentController extends WalletContentController {}
