import { Controller, Inject } from '@nestjs/common';
import {
  AcceptNotification,
  CancelCredentialOffer,
  ChangeCredentialOffer,
  ChangeCredentialStatus,
  CheckIssuerHealth,
  CreateCredentialOffer,
  ExchangePreAuthorizedCode,
  GetCredentialOffer,
  GetIssuerDocument,
  GetOfferObject,
  GetSignedMetadata,
  GetStatusList,
  GetTypeMetadata,
  IssueChallenge,
  IssueCredential,
  IssueDeferredCredential,
  IssueNonce,
  type QuestionOf,
} from '@vestibule/contracts';
import { Answers } from '@vestibule/messaging';
import { PROCESS, type ProcessContext } from '@vestibule/process';
import type { Issuer } from '../../compose';

/** The token of issuer. */
export const ISSUER = Symbol('issuer');

/** What the issuer is asked over the bus. */
@Controller()
export class IssuerController {
  constructor(
    @Inject(ISSUER) private readonly issuer: Issuer,
    @Inject(PROCESS) private readonly process: ProcessContext,
  ) {}

  @Answers(CreateCredentialOffer)
  createCredentialOffer(question: QuestionOf<typeof CreateCredentialOffer>) {
    return this.issuer.createCredentialOffer(question);
  }

  @Answers(GetCredentialOffer)
  getCredentialOffer(question: QuestionOf<typeof GetCredentialOffer>) {
    return this.issuer.getCredentialOffer(question);
  }

  @Answers(ChangeCredentialOffer)
  changeCredentialOffer(question: QuestionOf<typeof ChangeCredentialOffer>) {
    return this.issuer.changeCredentialOffer(question);
  }

  @Answers(CancelCredentialOffer)
  cancelCredentialOffer(question: QuestionOf<typeof CancelCredentialOffer>) {
    return this.issuer.cancelCredentialOffer(question);
  }

  @Answers(GetOfferObject)
  getOfferObject(question: QuestionOf<typeof GetOfferObject>) {
    return this.issuer.getOfferObject(question);
  }

  @Answers(ChangeCredentialStatus)
  changeCredentialStatus(question: QuestionOf<typeof ChangeCredentialStatus>) {
    return this.issuer.changeCredentialStatus(question);
  }

  @Answers(GetStatusList)
  getStatusList(question: QuestionOf<typeof GetStatusList>) {
    return this.issuer.getStatusList(question);
  }

  @Answers(GetIssuerDocument)
  getIssuerDocument(question: QuestionOf<typeof GetIssuerDocument>) {
    return this.issuer.getIssuerDocument(question);
  }

  @Answers(GetTypeMetadata)
  getTypeMetadata(question: QuestionOf<typeof GetTypeMetadata>) {
    return this.issuer.getTypeMetadata(question);
  }

  @Answers(ExchangePreAuthorizedCode)
  exchangePreAuthorizedCode(question: QuestionOf<typeof ExchangePreAuthorizedCode>) {
    return this.issuer.exchangePreAuthorizedCode(question);
  }

  @Answers(GetSignedMetadata)
  getSignedMetadata(_question: QuestionOf<typeof GetSignedMetadata>) {
    return this.issuer.getSignedMetadata();
  }

  @Answers(IssueChallenge)
  issueChallenge(_question: QuestionOf<typeof IssueChallenge>) {
    return this.issuer.issueChallenge();
  }

  @Answers(IssueNonce)
  issueNonce(_question: QuestionOf<typeof IssueNonce>) {
    return this.issuer.issueNonce();
  }

  @Answers(IssueCredential)
  issueCredential(question: QuestionOf<typeof IssueCredential>) {
    return this.issuer.issueCredential(question);
  }

  @Answers(IssueDeferredCredential)
  issueDeferredCredential(question: QuestionOf<typeof IssueDeferredCredential>) {
    return this.issuer.issueDeferredCredential(question);
  }

  @Answers(AcceptNotification)
  acceptNotification(question: QuestionOf<typeof AcceptNotification>) {
    return this.issuer.acceptNotification(question);
  }

  @Answers(CheckIssuerHealth)
  checkHealth(_question: QuestionOf<typeof CheckIssuerHealth>) {
    return this.process.readiness.report();
  }
}
