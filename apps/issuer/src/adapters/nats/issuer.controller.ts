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
import { acceptNotification } from '../../use-cases/accept-notification';
import { cancelCredentialOffer } from '../../use-cases/cancel-credential-offer';
import { changeCredentialOffer } from '../../use-cases/change-credential-offer';
import { changeCredentialStatus } from '../../use-cases/change-credential-status';
import { createCredentialOffer } from '../../use-cases/create-credential-offer';
import { exchangePreAuthorizedCode } from '../../use-cases/exchange-pre-authorized-code';
import { getSignedMetadata } from '../../use-cases/get-signed-metadata';
import { getStatusList } from '../../use-cases/get-status-list';
import { issueChallenge } from '../../use-cases/issue-challenge';
import { issueCredential } from '../../use-cases/issue-credential';
import { issueDeferredCredential } from '../../use-cases/issue-deferred-credential';
import { issueNonce } from '../../use-cases/issue-nonce';
import { markUnservedWallets } from '../../use-cases/mark-unserved-wallets';
import { getCredentialOffer, getOfferObject, listCredentialOffers } from '../../use-cases/read-credential-offer';
import { getIssuerDocument, getTypeMetadata } from '../../use-cases/read-documents';

/** The issuer's requests over the bus: each use case is injected by the function that makes it. */
@Controller()
export class IssuerController {
  @Inject(PROCESS) private readonly process!: ProcessContext;
  @Inject(createCredentialOffer) private readonly createOffer!: ReturnType<typeof createCredentialOffer>;
  @Inject(getCredentialOffer) private readonly viewOffer!: ReturnType<typeof getCredentialOffer>;
  @Inject(listCredentialOffers) private readonly listOffers!: ReturnType<typeof listCredentialOffers>;
  @Inject(changeCredentialOffer) private readonly changeOffer!: ReturnType<typeof changeCredentialOffer>;
  @Inject(cancelCredentialOffer) private readonly cancelOffer!: ReturnType<typeof cancelCredentialOffer>;
  @Inject(getOfferObject) private readonly offerObject!: ReturnType<typeof getOfferObject>;
  @Inject(changeCredentialStatus) private readonly changeStatus!: ReturnType<typeof changeCredentialStatus>;
  @Inject(getStatusList) private readonly statusList!: ReturnType<typeof getStatusList>;
  @Inject(getIssuerDocument) private readonly document!: ReturnType<typeof getIssuerDocument>;
  @Inject(getTypeMetadata) private readonly typeMetadata!: ReturnType<typeof getTypeMetadata>;
  @Inject(exchangePreAuthorizedCode) private readonly exchangeCode!: ReturnType<typeof exchangePreAuthorizedCode>;
  @Inject(getSignedMetadata) private readonly signedMetadata!: ReturnType<typeof getSignedMetadata>;
  @Inject(issueChallenge) private readonly challenge!: ReturnType<typeof issueChallenge>;
  @Inject(issueNonce) private readonly nonce!: ReturnType<typeof issueNonce>;
  @Inject(issueCredential) private readonly issue!: ReturnType<typeof issueCredential>;
  @Inject(issueDeferredCredential) private readonly issueDeferred!: ReturnType<typeof issueDeferredCredential>;
  @Inject(acceptHandOvers) private readonly takeReport!: ReturnType<typeof acceptHandOvers>;
  @Inject(acceptNotification) private readonly notify!: ReturnType<typeof acceptNotification>;
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
    return this.offerObject(question);
  }

  @Answers(ChangeCredentialStatus)
  changeCredentialStatus(question: QuestionOf<typeof ChangeCredentialStatus>) {
    return this.changeStatus(question);
  }

  @Answers(GetStatusList)
  getStatusList(question: QuestionOf<typeof GetStatusList>) {
    return this.statusList(question);
  }

  @Answers(GetIssuerDocument)
  getIssuerDocument(question: QuestionOf<typeof GetIssuerDocument>) {
    return this.document(question);
  }

  @Answers(GetTypeMetadata)
  getTypeMetadata(question: QuestionOf<typeof GetTypeMetadata>) {
    return this.typeMetadata(question);
  }

  @Answers(ExchangePreAuthorizedCode)
  exchangePreAuthorizedCode(question: QuestionOf<typeof ExchangePreAuthorizedCode>) {
    return this.exchangeCode(question);
  }

  @Answers(GetSignedMetadata)
  getSignedMetadata(_question: QuestionOf<typeof GetSignedMetadata>) {
    return this.signedMetadata();
  }

  @Answers(IssueChallenge)
  issueChallenge(_question: QuestionOf<typeof IssueChallenge>) {
    return this.challenge();
  }

  @Answers(IssueNonce)
  issueNonce(_question: QuestionOf<typeof IssueNonce>) {
    return this.nonce();
  }

  @Answers(IssueCredential)
  issueCredential(question: QuestionOf<typeof IssueCredential>) {
    return this.issue(question);
  }

  @Answers(IssueDeferredCredential)
  issueDeferredCredential(question: QuestionOf<typeof IssueDeferredCredential>) {
    return this.issueDeferred(question);
  }

  @Answers(AcceptNotification)
  acceptNotification(question: QuestionOf<typeof AcceptNotification>) {
    return this.notify(question);
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
