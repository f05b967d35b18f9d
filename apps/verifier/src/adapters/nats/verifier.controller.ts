import { Controller, Inject } from '@nestjs/common';
import {
  CancelPresentationRequest,
  CheckVerifierHealth,
  CreatePresentationRequest,
  ExpectPresentation,
  GetPresentationRequest,
  GetRequestObject,
  ListPresentationRequests,
  ReportUnservedPresentations,
  SubmitPresentation,
  type QuestionOf,
} from '@vestibule/contracts';
import { Answers } from '@vestibule/messaging';
import { noteSubject, PROCESS, type ProcessContext } from '@vestibule/process';
import { cancelPresentationRequest } from '../../use-cases/cancel-presentation-request';
import { createPresentationRequest } from '../../use-cases/create-presentation-request';
import { expectPresentation } from '../../use-cases/expect-presentation';
import { getPresentationRequest } from '../../use-cases/get-presentation-request';
import { getRequestObject } from '../../use-cases/get-request-object';
import { listPresentationRequests } from '../../use-cases/list-presentation-requests';
import { markUnservedWallets } from '../../use-cases/mark-unserved-wallets';
import { submitPresentation } from '../../use-cases/submit-presentation';

/** The verifier's requests over the bus: each use case is injected by the function that makes it. */
@Controller()
export class VerifierController {
  @Inject(PROCESS) private readonly process!: ProcessContext;
  @Inject(createPresentationRequest) private readonly create!: ReturnType<typeof createPresentationRequest>;
  @Inject(getPresentationRequest) private readonly view!: ReturnType<typeof getPresentationRequest>;
  @Inject(cancelPresentationRequest) private readonly cancel!: ReturnType<typeof cancelPresentationRequest>;
  @Inject(listPresentationRequests) private readonly list!: ReturnType<typeof listPresentationRequests>;
  @Inject(getRequestObject) private readonly requestObject!: ReturnType<typeof getRequestObject>;
  @Inject(expectPresentation) private readonly expect!: ReturnType<typeof expectPresentation>;
  @Inject(markUnservedWallets) private readonly markUnserved!: ReturnType<typeof markUnservedWallets>;
  @Inject(submitPresentation) private readonly submit!: ReturnType<typeof submitPresentation>;

  @Answers(CreatePresentationRequest)
  createPresentationRequest(question: QuestionOf<typeof CreatePresentationRequest>) {
    return this.create(question);
  }

  @Answers(GetPresentationRequest)
  getPresentationRequest(question: QuestionOf<typeof GetPresentationRequest>) {
    return this.view(question);
  }

  @Answers(ListPresentationRequests)
  listPresentationRequests(question: QuestionOf<typeof ListPresentationRequests>) {
    return this.list(question);
  }

  @Answers(CancelPresentationRequest)
  cancelPresentationRequest(question: QuestionOf<typeof CancelPresentationRequest>) {
    return this.cancel(question);
  }

  @Answers(GetRequestObject)
  getRequestObject(question: QuestionOf<typeof GetRequestObject>) {
    noteSubject(question.state);
    return this.requestObject(question);
  }

  @Answers(ExpectPresentation)
  expectPresentation(question: QuestionOf<typeof ExpectPresentation>) {
    return this.expect(question);
  }

  @Answers(SubmitPresentation)
  submitPresentation(question: QuestionOf<typeof SubmitPresentation>) {
    noteSubject(question.state);
    return this.submit(question);
  }

  @Answers(ReportUnservedPresentations)
  reportUnservedPresentations(question: QuestionOf<typeof ReportUnservedPresentations>) {
    return this.markUnserved(question);
  }

  @Answers(CheckVerifierHealth)
  checkHealth(_question: QuestionOf<typeof CheckVerifierHealth>) {
    return this.process.readiness.report();
  }
}
