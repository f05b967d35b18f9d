import { Controller, Inject } from '@nestjs/common';
import {
  CheckVerifierHealth,
  CreatePresentationRequest,
  ExpectPresentation,
  GetPresentationRequest,
  GetRequestObject,
  SubmitPresentation,
  type QuestionOf,
} from '@vestibule/contracts';
import { Answers } from '@vestibule/messaging';
import { PROCESS, type ProcessContext } from '@vestibule/process';
import type { Verifier } from '../../compose';

/** The token of the verifier's use cases. */
export const VERIFIER = Symbol('verifier');

/** What the verifier is asked over the bus. */
@Controller()
export class VerifierController {
  constructor(
    @Inject(VERIFIER) private readonly verifier: Verifier,
    @Inject(PROCESS) private readonly process: ProcessContext,
  ) {}

  @Answers(CreatePresentationRequest)
  createPresentationRequest(question: QuestionOf<typeof CreatePresentationRequest>) {
    return this.verifier.createPresentationRequest(question);
  }

  @Answers(GetPresentationRequest)
  getPresentationRequest(question: QuestionOf<typeof GetPresentationRequest>) {
    return this.verifier.getPresentationRequest(question);
  }

  @Answers(GetRequestObject)
  getRequestObject(question: QuestionOf<typeof GetRequestObject>) {
    return this.verifier.getRequestObject(question);
  }

  @Answers(ExpectPresentation)
  expectPresentation(question: QuestionOf<typeof ExpectPresentation>) {
    return this.verifier.expectPresentation(question);
  }

  @Answers(SubmitPresentation)
  submitPresentation(question: QuestionOf<typeof SubmitPresentation>) {
    return this.verifier.submitPresentation(question);
  }

  @Answers(CheckVerifierHealth)
  checkHealth(_question: QuestionOf<typeof CheckVerifierHealth>) {
    return this.process.readiness.report();
  }
}
