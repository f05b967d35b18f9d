import type { PipeTransform } from '@nestjs/common';
import type { ApiError } from '@vestibule/foundation';
import type { WalletBody } from './wallet-bodies';

/** Names and values of a form, in their order. */
export type FormEntries = [string, string][];

/** Reads the body as a form; any other is refused. */
export class FormPipe implements PipeTransform<WalletBody | undefined, FormEntries> {
  constructor(private readonly refusal: () => ApiError) {}

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
