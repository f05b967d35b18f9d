import { Controller, Inject } from '@nestjs/common';
import {
  SignGivenCredential,
  VerifyGivenCredential,
  VerifyGivenPresentation,
  type QuestionOf,
} from '@vestibule/contracts';
import { Answers } from '@vestibule/messaging';
import { signGivenCredential, verifyGivenCredential, verifyGivenPresentation } from '../../use-cases/vc-api';

/** Requests of the VC API. */
@Controller()
export class VcApiController {
  @Inject(signGivenCredential) private readonly sign!: ReturnType<typeof signGivenCredential>;
  @Inject(verifyGivenCredential) private readonly verify!: ReturnType<typeof verifyGivenCredential>;
  @Inject(verifyGivenPresentation) private readonly verifyBound!: ReturnType<typeof verifyGivenPresentation>;

  @Answers(SignGivenCredential)
  signCredential(question: QuestionOf<typeof SignGivenCredential>) {
    return this.sign(question);
  }

  @Answers(VerifyGivenCredential)
  verifyCredential(question: QuestionOf<typeof VerifyGivenCredential>) {
    return this.verify(question);
  }

  @Answers(VerifyGivenPresentation)
  verifyPresentation(question: QuestionOf<typeof VerifyGivenPresentation>) {
    return this.verifyBound(question);
  }
}
