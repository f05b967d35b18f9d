import {
  createFollowedDocuments,
  createKeptCopy,
  EGRESS_FAILURES,
  type DocumentSource,
  type FollowedDocuments,
  type FollowedDocumentsOptions,
} from '@vestibule/egress';
import { ProcessingFailure } from '@vestibule/foundation';
import type { Logger } from '@vestibule/process';
import { matchesIntegrity, type TypeDocument } from '@vestibule/sd-jwt-vc';

/** A Type Metadata document on a host that the operator lists, with the hash of what it must be. */
export interface HostedDocument {
  readonly url: string;
  readonly integrity: string;
  /** For faults: where the trust file names it. */
  readonly place: string;
}

export interface HostedDocumentsOptions extends Pick<
  FollowedDocumentsOptions<Uint8Array>,
  'egress' | 'refreshSeconds' | 'chance'
> {
  readonly folder?: string | undefined;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

const MAX_BYTES = 1_048_576;
const GET = {
  purpose: 'type-metadata',
  accept: 'application/json',
  maxBytes: MAX_BYTES,
  timeoutMilliseconds: 10_000,
  maxRedirects: 3,
} as const;

const keyOf = ({ url, integrity }: HostedDocument): string => JSON.stringify([url, integrity]);

function requireIntegrity(bytes: Uint8Array, integrity: string): Uint8Array {
  if (matchesIntegrity(integrity, bytes)) return bytes;
  const { meaning, remedy } = EGRESS_FAILURES.egress_integrity;
  throw new ProcessingFailure('egress_integrity', meaning, undefined, remedy);
}

const sourceOf = (document: HostedDocument): DocumentSource<Uint8Array> => ({
  key: keyOf(document),
  name: document.place,
  url: document.url,
  read: (bytes) => Promise.resolve(requireIntegrity(bytes, document.integrity)),
});

/** Type Metadata documents that are fetched: only the exact bytes whose hash the operator knows. */
export interface HostedDocuments extends Pick<FollowedDocuments<Uint8Array>, 'isTried' | 'close'> {
  follow(documents: readonly HostedDocument[]): void;
  /** Those that are known by now. */
  find(documents: readonly HostedDocument[]): readonly TypeDocument[];
}

export function createHostedDocuments(
  { egress, refreshSeconds, chance, folder, logger }: HostedDocumentsOptions,
  onChange: () => void,
): HostedDocuments {
  const documents = createFollowedDocuments<Uint8Array>({
    egress,
    get: GET,
    refreshSeconds,
    chance,
    keptCopyOf: folder === undefined ? undefined : ({ name, key }) => createKeptCopy(folder, name, key, MAX_BYTES),
    onChange: ({ name }, _bytes, from) => {
      onChange();
      logger.info('a Type Metadata document was loaded', { document: name, from });
    },
    onFailure: ({ name }, error, at) =>
      logger.warn('a Type Metadata document could not be loaded or kept', { document: name, from: at, error }),
  });
  return {
    isTried: () => documents.isTried(),
    close: () => documents.close(),
    follow: (hosted) => documents.follow(hosted.map(sourceOf)),
    find: (hosted) =>
      hosted.flatMap((document) => {
        const bytes = documents.find(keyOf(document));
        return bytes ? { place: document.place, bytes } : [];
      }),
  };
}
