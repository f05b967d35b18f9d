import { DomainError } from '@vestibule/foundation';
import { canonicalize, loadCanonicalizer, type CredentialRequest, type PresentationRequest } from '@vestibule/vcdm';
import { parentPort } from 'node:worker_threads';
import type { ThreadAnswer } from './canonicalization-worker';

type Request = CredentialRequest | PresentationRequest;

/** What went wrong, without the cause, which may quote the document. */
async function answer(request: Request): Promise<ThreadAnswer> {
  try {
    return { signed: await (request.kind === 'credential' ? canonicalize(request) : canonicalize(request)) };
  } catch (error) {
    if (error instanceof DomainError) return { failure: { code: error.code, detail: error.detail } };
    return { unexpected: error instanceof Error ? error.name : 'unknown' };
  }
}

parentPort?.on('message', (request: Request) => {
  void answer(request).then((result) => parentPort?.postMessage(result));
});
void loadCanonicalizer().then(() => parentPort?.postMessage('ready'));
