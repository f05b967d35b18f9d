import { Controller, Inject } from '@nestjs/common';
import {
  AbandonDraft,
  CreateDraft,
  CreateSchema,
  GetClaimValues,
  GetPublishedSchema,
  IssueDraft,
  PublishSchema,
  SearchDrafts,
  SearchPublishedSchemas,
  SearchSchemas,
  UpdateDraft,
  UpdateSchema,
  type QuestionOf,
} from '@vestibule/contracts';
import { Answers } from '@vestibule/messaging';
import type { composeSchemas } from '../../compose-schemas';

/** The token of schemas. */
export const SCHEMAS = Symbol('schemas');

/** What the wallet store is asked about claims schemas and drafts. */
@Controller()
export class SchemasController {
  constructor(@Inject(SCHEMAS) private readonly schemas: ReturnType<typeof composeSchemas>) {}

  @Answers(CreateSchema)
  createSchema(question: QuestionOf<typeof CreateSchema>) {
    return this.schemas.createSchema(question);
  }

  @Answers(UpdateSchema)
  updateSchema(question: QuestionOf<typeof UpdateSchema>) {
    return this.schemas.updateSchema(question);
  }

  @Answers(PublishSchema)
  publishSchema(question: QuestionOf<typeof PublishSchema>) {
    return this.schemas.publishSchema(question);
  }

  @Answers(SearchSchemas)
  searchSchemas(question: QuestionOf<typeof SearchSchemas>) {
    return this.schemas.searchSchemas(question);
  }

  @Answers(SearchPublishedSchemas)
  searchPublishedSchemas(question: QuestionOf<typeof SearchPublishedSchemas>) {
    return this.schemas.searchPublishedSchemas(question);
  }

  @Answers(GetPublishedSchema)
  getPublishedSchema(question: QuestionOf<typeof GetPublishedSchema>) {
    return this.schemas.getPublishedSchema(question);
  }

  @Answers(CreateDraft)
  createDraft(question: QuestionOf<typeof CreateDraft>) {
    return this.schemas.createDraft(question);
  }

  @Answers(UpdateDraft)
  updateDraft(question: QuestionOf<typeof UpdateDraft>) {
    return this.schemas.updateDraft(question);
  }

  @Answers(SearchDrafts)
  searchDrafts(question: QuestionOf<typeof SearchDrafts>) {
    return this.schemas.searchDrafts(question);
  }

  @Answers(IssueDraft)
  issueDraft(question: QuestionOf<typeof IssueDraft>) {
    return this.schemas.issueDraft(question);
  }

  @Answers(AbandonDraft)
  abandonDraft(question: QuestionOf<typeof AbandonDraft>) {
    return this.schemas.abandonDraft(question);
  }

  @Answers(GetClaimValues)
  getClaimValues(question: QuestionOf<typeof GetClaimValues>) {
    return this.schemas.getClaimValues(question);
  }
}
