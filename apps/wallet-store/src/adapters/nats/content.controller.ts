import { Controller, Inject } from '@nestjs/common';
import {
  AbandonPresentation,
  CreateEntity,
  CreatePresentation,
  CreateWallet,
  GetCredential,
  GetPresentation,
  ImportCredential,
  IssuePresentation,
  ListCredentials,
  ListPresentations,
  PresentPresentation,
  type QuestionOf,
} from '@vestibule/contracts';
import { Answers } from '@vestibule/messaging';
import type { composeWalletStore } from '../../compose';

/** The token of content. */
export const CONTENT = Symbol('content');

/** What the wallet store is asked about entities, wallets and what they hold. */
@Controller()
export class ContentController {
  constructor(@Inject(CONTENT) private readonly content: ReturnType<typeof composeWalletStore>) {}

  @Answers(CreateEntity)
  createEntity(question: QuestionOf<typeof CreateEntity>) {
    return this.content.createEntity(question);
  }

  @Answers(CreateWallet)
  createWallet(question: QuestionOf<typeof CreateWallet>) {
    return this.content.createWallet(question);
  }

  @Answers(GetCredential)
  getCredential(question: QuestionOf<typeof GetCredential>) {
    return this.content.getCredential(question);
  }

  @Answers(ListCredentials)
  listCredentials(question: QuestionOf<typeof ListCredentials>) {
    return this.content.listCredentials(question);
  }

  @Answers(GetPresentation)
  getPresentation(question: QuestionOf<typeof GetPresentation>) {
    return this.content.getPresentation(question);
  }

  @Answers(ListPresentations)
  listPresentations(question: QuestionOf<typeof ListPresentations>) {
    return this.content.listPresentations(question);
  }

  @Answers(ImportCredential)
  importCredential(question: QuestionOf<typeof ImportCredential>) {
    return this.content.importCredential(question);
  }

  @Answers(CreatePresentation)
  createPresentation(question: QuestionOf<typeof CreatePresentation>) {
    return this.content.createPresentation(question);
  }

  @Answers(IssuePresentation)
  issuePresentation(question: QuestionOf<typeof IssuePresentation>) {
    return this.content.issuePresentation(question);
  }

  @Answers(AbandonPresentation)
  abandonPresentation(question: QuestionOf<typeof AbandonPresentation>) {
    return this.content.abandonPresentation(question);
  }

  @Answers(PresentPresentation)
  presentPresentation(question: QuestionOf<typeof PresentPresentation>) {
    return this.content.presentPresentation(question);
  }
}
