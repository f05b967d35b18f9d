import { Controller, Inject } from '@nestjs/common';
import {
  ChangeStoredCredentialStatus,
  GetStatusListCredential,
  GetStoredCredentialStatus,
  type QuestionOf,
} from '@vestibule/contracts';
import { Answers } from '@vestibule/messaging';
import { changeCredentialStatus, getCredentialStatus } from '../../use-cases/credential-status';
import { getStatusListCredential } from '../../use-cases/status-list-credential';

/** Requests about the status of issued credentials. */
@Controller()
export class CredentialStatusController {
  @Inject(getCredentialStatus) private readonly read!: ReturnType<typeof getCredentialStatus>;
  @Inject(changeCredentialStatus) private readonly change!: ReturnType<typeof changeCredentialStatus>;
  @Inject(getStatusListCredential) private readonly list!: ReturnType<typeof getStatusListCredential>;

  @Answers(GetStoredCredentialStatus)
  getStatus(question: QuestionOf<typeof GetStoredCredentialStatus>) {
    return this.read(question);
  }

  @Answers(ChangeStoredCredentialStatus)
  changeStatus(question: QuestionOf<typeof ChangeStoredCredentialStatus>) {
    return this.change(question);
  }

  @Answers(GetStatusListCredential)
  getStatusListCredential(question: QuestionOf<typeof GetStatusListCredential>) {
    return this.list(question);
  }
}
