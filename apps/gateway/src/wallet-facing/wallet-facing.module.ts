import { Module, type DynamicModule } from '@nestjs/common';
import type { Logger } from '@vestibule/service';
import { ASK, type Ask } from '../ask';
import { ProblemDetailsFilter } from '../http/problem-details.filter';
import { IssuanceController, MetadataController } from './issuance.controller';
import { PresentationController } from './presentation.controller';
import { PublicContentController } from './public-content.controller';

/** Everything that strangers reach: the public listener. */
@Module({})
export class WalletFacingModule {
  static register(ask: Ask, options: { readonly servesContent: boolean; readonly logger: Logger }): DynamicModule {
    const content = options.servesContent ? [PublicContentController] : [];
    return {
      module: WalletFacingModule,
      controllers: [PresentationController, IssuanceController, MetadataController, ...content],
      providers: [
        { provide: ASK, useValue: ask },
        { provide: ProblemDetailsFilter, useValue: new ProblemDetailsFilter(options.logger) },
      ],
    };
  }
}
