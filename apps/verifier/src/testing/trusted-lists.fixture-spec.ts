import {
  DEVELOPMENT_OPERATOR,
  signTrustedList,
  trustedListPayload,
  type Authority,
  type IssuedCertificate,
  type ListedService,
  type TrustedListDraft,
} from '@vestibule/dev-pki';
import type { EgressResponse, GetOptions } from '@vestibule/egress';
import { ProcessingFailure } from '@vestibule/foundation';
import { createMetrics } from '@vestibule/process';
import type { ListedTrustOptions } from '../adapters/lists/listed-trust';
import { at, NOW } from './verifier.fixture-spec';

const DAY = 86_400;
const ETSI = 'http://uri.etsi.org/19602';
export const PID_LIST = `${ETSI}/LoTEType/EUPIDProvidersList`;
export const PID_ISSUANCE = `${ETSI}/SvcType/PID/Issuance`;
export const PID_REVOCATION = `${ETSI}/SvcType/PID/Revocation`;
export const LIST_URL = 'https://lists.example/pid.jwt';

/** Signs lists of trusted entities. */
export const issueListSigner = (authority: Authority): Promise<IssuedCertificate> =>
  authority.issue({ name: 'List Signer', organization: DEVELOPMENT_OPERATOR });

export const pidServices = (...authorities: readonly Pick<Authority, 'certificate'>[]): ListedService[] =>
  authorities.map(({ certificate }) => ({ type: PID_ISSUANCE, certificates: [certificate] }));

/** A list of PID providers with these services of one provider, valid from ten days ago for twenty days. */
export function pidList(
  signer: IssuedCertificate,
  services: readonly ListedService[],
  more: Partial<TrustedListDraft> = {},
): string {
  const entities = services.length === 0 ? [] : [{ name: 'Provider', services }];
  const dates = { issuedAt: at(-10 * DAY), nextUpdateAt: at(20 * DAY) };
  const payload = trustedListPayload({ type: PID_LIST, sequence: 7, ...dates, entities, ...more });
  return signTrustedList(payload, { signer, signedAt: NOW });
}

/** A host of lists: what it serves by URL; undefined: it does not answer. */
export function createListHost() {
  const served = new Map<string, { readonly body: string; readonly etag?: string } | undefined>();
  const calls: { readonly url: string; readonly ifNoneMatch: string | undefined }[] = [];
  return {
    calls,
    serve: (body: string | undefined, { url = LIST_URL, etag }: { url?: string; etag?: string } = {}) =>
      served.set(url, body === undefined ? undefined : { body, ...(etag === undefined ? {} : { etag }) }),
    get(url: string, { ifNoneMatch }: GetOptions): Promise<EgressResponse> {
      calls.push({ url, ifNoneMatch });
      const found = served.get(url);
      if (!found) return Promise.reject(new ProcessingFailure('egress_failed', 'the host is away'));
      const response = { contentType: 'application/jose', finalUrl: url, etag: found.etag };
      const isCurrent = found.etag !== undefined && found.etag === ifNoneMatch;
      return Promise.resolve({
        ...response,
        status: isCurrent ? 304 : 200,
        body: Buffer.from(isCurrent ? '' : found.body),
      });
    },
  };
}
export type ListHost = ReturnType<typeof createListHost>;

/** How lists are followed in a test, from this host. */
export const followingLists = (
  egress: Pick<ListHost, 'get'>,
  more: Partial<Omit<ListedTrustOptions, 'clock' | 'logger' | 'skewSeconds'>> = {},
) => ({
  egress,
  graceSeconds: 0,
  refreshSeconds: 3_600,
  chance: () => 0.5,
  ...more,
  metrics: createMetrics('verifier'),
});

/** For tests without lists. */
export const noLists = () => followingLists(createListHost());
