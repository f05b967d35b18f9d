import { Controller, Inject } from '@nestjs/common';
import {
  SignGivenCredential,
  VerifyGivenCredential,
  VerifyGivenPresentation,
  type QuestionOf,
} from '@vestibule/contracts';
import { Answers } from '@vestibule/messaging';
import type { composeVcApi } from '../../compose-vc-api';

/** The token of VC API. */
export const VC_API = Symbol('VC API');

/** What the wallet store is asked through the VC API. */
@Controller()
export class VcApiController {
  constructor(@Inject(VC_API) private readonly vcApi: ReturnType<typeof composeVcApi>) {}

  @Answers(SignGivenCredential)
  signCredential(question: QuestionOf<typeof SignGivenCredential>) {
    return this.vcApi.signCredential(question);
  }

  @Answers(VerifyGivenCredential)
  verifyCredential(question: QuestionOf<typeof VerifyGivenCredential>) {
    return this.vcApi.verifyCredential(question);
  }

  @Answers(VerifyGivenPresentation)
  verifyPresentation(question: QuestionOf<typeof VerifyGivenPresentation>) {
    return this.vcApi.verifyPresentation(question);
  }
}
