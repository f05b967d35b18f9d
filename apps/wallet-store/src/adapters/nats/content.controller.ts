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
  ListEntities,
  ListPresentations,
  ListWallets,
  PresentPresentation,
  UpdatePresentation,
  type QuestionOf,
} from '@vestibule/contracts';
import { Answers } from '@vestibule/messaging';
import { createEntity } from '../../use-cases/create-entity';
import { createWallet } from '../../use-cases/create-wallet';
import { importCredential } from '../../use-cases/import-credential';
import { listEntities, listWallets } from '../../use-cases/list-owners';
import {
  abandonPresentation,
  createPresentation,
  issuePresentation,
  presentPresentation,
} from '../../use-cases/presentations';
import { getCredential, getPresentation, listCredentials, listPresentations } from '../../use-cases/read-content';
import { updatePresentation } from '../../use-cases/update-presentation';

/** Requests about entities, wallets and their content: each use case is injected by the function that makes it. */
@Controller()
export class ContentController {
  @Inject(createEntity) private readonly newEntity!: ReturnType<typeof createEntity>;
  @Inject(createWallet) private readonly newWallet!: ReturnType<typeof createWallet>;
  @Inject(listEntities) private readonly entities!: ReturnType<typeof listEntities>;
  @Inject(listWallets) private readonly wallets!: ReturnType<typeof listWallets>;
  @Inject(getCredential) private readonly credential!: ReturnType<typeof getCredential>;
  @Inject(listCredentials) private readonly credentials!: ReturnType<typeof listCredentials>;
  @Inject(getPresentation) private readonly presentation!: ReturnType<typeof getPresentation>;
  @Inject(listPresentations) private readonly presentations!: ReturnType<typeof listPresentations>;
  @Inject(importCredential) private readonly import!: ReturnType<typeof importCredential>;
  @Inject(createPresentation) private readonly newPresentation!: ReturnType<typeof createPresentation>;
  @Inject(updatePresentation) private readonly update!: ReturnType<typeof updatePresentation>;
  @Inject(issuePresentation) private readonly issue!: ReturnType<typeof issuePresentation>;
  @Inject(abandonPresentation) private readonly abandon!: ReturnType<typeof abandonPresentation>;
  @Inject(presentPresentation) private readonly present!: ReturnType<typeof presentPresentation>;

  @Answers(CreateEntity)
  createEntity(question: QuestionOf<typeof CreateEntity>) {
    return this.newEntity(question);
  }

  @Answers(CreateWallet)
  createWallet(question: QuestionOf<typeof CreateWallet>) {
    return this.newWallet(question);
  }

  @Answers(ListEntities)
  listEntities(question: QuestionOf<typeof ListEntities>) {
    return this.entities(question);
  }

  @Answers(ListWallets)
  listWallets(question: QuestionOf<typeof ListWallets>) {
    return this.wallets(question);
  }

  @Answers(GetCredential)
  getCredential(question: QuestionOf<typeof GetCredential>) {
    return this.credential(question);
  }

  @Answers(ListCredentials)
  listCredentials(question: QuestionOf<typeof ListCredentials>) {
    return this.credentials(question);
  }

  @Answers(GetPresentation)
  getPresentation(question: QuestionOf<typeof GetPresentation>) {
    return this.presentation(question);
  }

  @Answers(ListPresentations)
  listPresentations(question: QuestionOf<typeof ListPresentations>) {
    return this.presentations(question);
  }

  @Answers(ImportCredential)
  importCredential(question: QuestionOf<typeof ImportCredential>) {
    return this.import(question);
  }

  @Answers(CreatePresentation)
  createPresentation(question: QuestionOf<typeof CreatePresentation>) {
    return this.newPresentation(question);
  }

  @Answers(UpdatePresentation)
  updatePresentation(question: QuestionOf<typeof UpdatePresentation>) {
    return this.update(question);
  }

  @Answers(IssuePresentation)
  issuePresentation(question: QuestionOf<typeof IssuePresentation>) {
    return this.issue(question);
  }

  @Answers(AbandonPresentation)
  abandonPresentation(question: QuestionOf<typeof AbandonPresentation>) {
    return this.abandon(question);
  }

  @Answers(PresentPresentation)
  presentPresentation(question: QuestionOf<typeof PresentPresentation>) {
    return this.present(question);
  }
}
