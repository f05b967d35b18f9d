import { ApiError, VerificationFailure } from '@vestibule/foundation';

/**
 * Processes a document from a backend. A fault in the document becomes an invalid request, under the code that says
 * why; every other error passes unchanged.
 */
export async function refusingDocuments<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof VerificationFailure)) throw error;
    throw new ApiError({ kind: 'invalid', code: error.code, detail: error.detail, cause: error });
  }
}
