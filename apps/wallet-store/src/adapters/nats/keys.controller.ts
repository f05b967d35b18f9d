import { Controller, Inject } from '@nestjs/common';
import { CheckWalletStoreHealth, FindApiKeys, type QuestionOf } from '@vestibule/contracts';
import { Answers } from '@vestibule/messaging';
import { PROCESS, type ProcessContext } from '@vestibule/process';
import type { Tenants } from '../../domain/ports';

/** The injection token of the tenants and their API keys. */
export const TENANTS = Symbol('tenants');

/** What the gateway requests first: the known API keys, and whether the wallet store is ready. */
@Controller()
export class KeysController {
  constructor(
    @Inject(TENANTS) private readonly tenants: Tenants,
    @Inject(PROCESS) private readonly process: ProcessContext,
  ) {}

  @Answers(FindApiKeys)
  async findApiKeys({ apiKeyDigests }: QuestionOf<typeof FindApiKeys>) {
    return { known: [...(await this.tenants.findKnown(apiKeyDigests))] };
  }

  @Answers(CheckWalletStoreHealth)
  checkHealth(_question: QuestionOf<typeof CheckWalletStoreHealth>) {
    return this.process.readiness.report();
  }
}
