import { ApiError, VerificationFailure } from '@vestibule/foundation';

/**
 * Runs work on a document that a backend gave. What is wrong with the document is an invalid request of the backend,
 * under the code that says why; every other error stays as it is.
 */
export async function refusingDocuments<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof VerificationFailure)) throw error;
    throw new ApiError({ kind: 'invalid', code: error.code, detail: error.detail, cause: error });
  }
}
