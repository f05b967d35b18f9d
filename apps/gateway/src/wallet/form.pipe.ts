import type { ApiError } from '@vestibule/foundation';
import { PromptPipe } from '../http/prompt-pipes';
import type { WalletBody } from './wallet-bodies';

/** Names and values of a form, in their order. */
export type FormEntries = [string, string][];

/** Reads the body as a form; any other is refused. */
export class FormPipe extends PromptPipe<WalletBody | undefined, FormEntries> {
  constructor(private readonly refusal: () => ApiError) {
    super();
  }

  transform(body: WalletBody | undefined): FormEntries {
    if (body?.kind === 'form') return body.entries;
    throw this.refusal();
  }
}

/** Reads the body as a form, which may be omitted; any other is refused. */
export class OptionalFormPipe extends FormPipe {
  override transform(body: WalletBody | undefined): FormEntries {
    return body === undefined ? [] : super.transform(body);
  }
}
