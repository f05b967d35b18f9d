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
  ListCredentialOffers,
  ReportHandOvers,
  ReportUnservedIssuances,
  type QuestionOf,
} from '@vestibule/contracts';
import { Answers } from '@vestibule/messaging';
import { PROCESS, type ProcessContext } from '@vestibule/process';
import { acceptHandOvers } from '../../use-cases/accept-hand-overs';
import { cancelCredentialOffer } from '../../use-cases/cancel-credential-offer';
import { changeCredentialOffer } from '../../use-cases/change-credential-offer';
import { changeCredentialStatus } from '../../use-cases/change-credential-status';
import { createCredentialOffer } from '../../use-cases/create-credential-offer';
import { issuersOf, type Issuers } from '../../use-cases/issuers';
import { markUnservedWallets } from '../../use-cases/mark-unserved-wallets';
import { getCredentialOffer, listCredentialOffers } from '../../use-cases/read-credential-offer';

/** The issuer's requests over the bus: each use case is injected by the function that makes it. */
@Controller()
export class IssuerController {
  @Inject(PROCESS) private readonly process!: ProcessContext;
  @Inject(issuersOf) private readonly issuers!: Issuers;
  @Inject(createCredentialOffer) private readonly createOffer!: ReturnType<typeof createCredentialOffer>;
  @Inject(getCredentialOffer) private readonly viewOffer!: ReturnType<typeof getCredentialOffer>;
  @Inject(listCredentialOffers) private readonly listOffers!: ReturnType<typeof listCredentialOffers>;
  @Inject(changeCredentialOffer) private readonly changeOffer!: ReturnType<typeof changeCredentialOffer>;
  @Inject(cancelCredentialOffer) private readonly cancelOffer!: ReturnType<typeof cancelCredentialOffer>;
  @Inject(changeCredentialStatus) private readonly changeStatus!: ReturnType<typeof changeCredentialStatus>;
  @Inject(acceptHandOvers) private readonly takeReport!: ReturnType<typeof acceptHandOvers>;
  @Inject(markUnservedWallets) private readonly markUnserved!: ReturnType<typeof markUnservedWallets>;

  @Answers(CreateCredentialOffer)
  createCredentialOffer(question: QuestionOf<typeof CreateCredentialOffer>) {
    return this.createOffer(question);
  }

  @Answers(GetCredentialOffer)
  getCredentialOffer(question: QuestionOf<typeof GetCredentialOffer>) {
    return this.viewOffer(question);
  }

  @Answers(ChangeCredentialOffer)
  changeCredentialOffer(question: QuestionOf<typeof ChangeCredentialOffer>) {
    return this.changeOffer(question);
  }

  @Answers(ListCredentialOffers)
  listCredentialOffers(question: QuestionOf<typeof ListCredentialOffers>) {
    return this.listOffers(question);
  }

  @Answers(CancelCredentialOffer)
  cancelCredentialOffer(question: QuestionOf<typeof CancelCredentialOffer>) {
    return this.cancelOffer(question);
  }

  @Answers(GetOfferObject)
  getOfferObject(question: QuestionOf<typeof GetOfferObject>) {
    return this.issuers.at(question.issuer).getOfferObject(question);
  }

  @Answers(ChangeCredentialStatus)
  changeCredentialStatus(question: QuestionOf<typeof ChangeCredentialStatus>) {
    return this.changeStatus(question);
  }

  @Answers(GetStatusList)
  getStatusList(question: QuestionOf<typeof GetStatusList>) {
    return this.issuers.at(question.issuer).getStatusList(question);
  }

  @Answers(GetIssuerDocument)
  getIssuerDocument(question: QuestionOf<typeof GetIssuerDocument>) {
    return this.issuers.at(question.issuer).getIssuerDocument(question);
  }

  @Answers(GetTypeMetadata)
  getTypeMetadata(question: QuestionOf<typeof GetTypeMetadata>) {
    return this.issuers.at(question.issuer).getTypeMetadata(question);
  }

  @Answers(ExchangePreAuthorizedCode)
  exchangePreAuthorizedCode(question: QuestionOf<typeof ExchangePreAuthorizedCode>) {
    return this.issuers.at(question.issuer).exchangePreAuthorizedCode(question);
  }

  @Answers(GetSignedMetadata)
  getSignedMetadata(question: QuestionOf<typeof GetSignedMetadata>) {
    return this.issuers.at(question.issuer).getSignedMetadata();
  }

  @Answers(IssueChallenge)
  issueChallenge(question: QuestionOf<typeof IssueChallenge>) {
    return this.issuers.at(question.issuer).issueChallenge();
  }

  @Answers(IssueNonce)
  issueNonce(question: QuestionOf<typeof IssueNonce>) {
    return this.issuers.at(question.issuer).issueNonce();
  }

  @Answers(IssueCredential)
  issueCredential(question: QuestionOf<typeof IssueCredential>) {
    return this.issuers.at(question.issuer).issueCredential(question);
  }

  @Answers(IssueDeferredCredential)
  issueDeferredCredential(question: QuestionOf<typeof IssueDeferredCredential>) {
    return this.issuers.at(question.issuer).issueDeferredCredential(question);
  }

  @Answers(AcceptNotification)
  acceptNotification(question: QuestionOf<typeof AcceptNotification>) {
    return this.issuers.at(question.issuer).acceptNotification(question);
  }

  @Answers(ReportHandOvers)
  reportHandOvers(question: QuestionOf<typeof ReportHandOvers>) {
    return this.takeReport(question);
  }

  @Answers(ReportUnservedIssuances)
  reportUnservedIssuances(question: QuestionOf<typeof ReportUnservedIssuances>) {
    return this.markUnserved(question);
  }

  @Answers(CheckIssuerHealth)
  checkHealth(_question: QuestionOf<typeof CheckIssuerHealth>) {
    return this.process.readiness.report();
  }
}
