import { Controller, Inject } from '@nestjs/common';
import {
  AbandonDraft,
  CreateDraft,
  CreateSchema,
  GetClaimValues,
  GetDraft,
  GetPublishedSchema,
  GetSchema,
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
import { getClaimValues, issueTypedDraft } from '../../use-cases/issue-typed-draft';
import { publishSchema } from '../../use-cases/publish-schema';
import { getPublishedSchema, readSchema, searchPublishedSchemas, searchSchemas } from '../../use-cases/read-schemas';
import { readDraft, searchDrafts } from '../../use-cases/search-drafts';
import { abandonTypedDraft, createDraft, updateDraft } from '../../use-cases/write-draft';
import { createSchema, updateSchema } from '../../use-cases/write-schema';

/** Requests about claims schemas and drafts. */
@Controller()
export class SchemasController {
  @Inject(createSchema) private readonly newSchema!: ReturnType<typeof createSchema>;
  @Inject(readSchema) private readonly oneSchema!: ReturnType<typeof readSchema>;
  @Inject(readDraft) private readonly oneDraft!: ReturnType<typeof readDraft>;
  @Inject(updateSchema) private readonly changeSchema!: ReturnType<typeof updateSchema>;
  @Inject(publishSchema) private readonly publish!: ReturnType<typeof publishSchema>;
  @Inject(searchSchemas) private readonly schemas!: ReturnType<typeof searchSchemas>;
  @Inject(searchPublishedSchemas) private readonly publishedSchemas!: ReturnType<typeof searchPublishedSchemas>;
  @Inject(getPublishedSchema) private readonly publishedSchema!: ReturnType<typeof getPublishedSchema>;
  @Inject(createDraft) private readonly newDraft!: ReturnType<typeof createDraft>;
  @Inject(updateDraft) private readonly changeDraft!: ReturnType<typeof updateDraft>;
  @Inject(searchDrafts) private readonly drafts!: ReturnType<typeof searchDrafts>;
  @Inject(issueTypedDraft) private readonly issue!: ReturnType<typeof issueTypedDraft>;
  @Inject(abandonTypedDraft) private readonly abandon!: ReturnType<typeof abandonTypedDraft>;
  @Inject(getClaimValues) private readonly claimValues!: ReturnType<typeof getClaimValues>;

  @Answers(CreateSchema)
  createSchema(question: QuestionOf<typeof CreateSchema>) {
    return this.newSchema(question);
  }

  @Answers(GetSchema)
  getSchema(question: QuestionOf<typeof GetSchema>) {
    return this.oneSchema(question);
  }

  @Answers(GetDraft)
  getDraft(question: QuestionOf<typeof GetDraft>) {
    return this.oneDraft(question);
  }

  @Answers(UpdateSchema)
  updateSchema(question: QuestionOf<typeof UpdateSchema>) {
    return this.changeSchema(question);
  }

  @Answers(PublishSchema)
  publishSchema(question: QuestionOf<typeof PublishSchema>) {
    return this.publish(question);
  }

  @Answers(SearchSchemas)
  searchSchemas(question: QuestionOf<typeof SearchSchemas>) {
    return this.schemas(question);
  }

  @Answers(SearchPublishedSchemas)
  searchPublishedSchemas(question: QuestionOf<typeof SearchPublishedSchemas>) {
    return this.publishedSchemas(question);
  }

  @Answers(GetPublishedSchema)
  getPublishedSchema(question: QuestionOf<typeof GetPublishedSchema>) {
    return this.publishedSchema(question);
  }

  @Answers(CreateDraft)
  createDraft(question: QuestionOf<typeof CreateDraft>) {
    return this.newDraft(question);
  }

  @Answers(UpdateDraft)
  updateDraft(question: QuestionOf<typeof UpdateDraft>) {
    return this.changeDraft(question);
  }

  @Answers(SearchDrafts)
  searchDrafts(question: QuestionOf<typeof SearchDrafts>) {
    return this.drafts(question);
  }

  @Answers(IssueDraft)
  issueDraft(question: QuestionOf<typeof IssueDraft>) {
    return this.issue(question);
  }

  @Answers(AbandonDraft)
  abandonDraft(question: QuestionOf<typeof AbandonDraft>) {
    return this.abandon(question);
  }

  @Answers(GetClaimValues)
  getClaimValues(question: QuestionOf<typeof GetClaimValues>) {
    return this.claimValues(question);
  }
}
