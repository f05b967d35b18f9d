import { JOSE_FAILURES, SEAL_ERRORS } from '@vestibule/crypto';
import { BACKEND_ERRORS, OUTCOME_ERRORS, SCHEMA_ERRORS, SERVICE_ERRORS, WALLET_ERRORS } from '@vestibule/contracts';
import { DCQL_FAILURES } from '@vestibule/dcql';
import { EGRESS_FAILURES } from '@vestibule/egress';
import { KEY_ERRORS } from '@vestibule/keys';
import { OAUTH_ERRORS, type OAuthErrorEntry } from '@vestibule/foundation';
import { BUS_ERRORS } from '@vestibule/messaging';
import { REFUSAL_REASONS } from '@vestibule/oauth';
import { ISSUER_CONFIGURATION_ERRORS } from '@vestibule/oid4vci';
import { INVALID_REQUESTS, PRESENTATION_FAILURES, RESPONSE_FAILURES } from '@vestibule/oid4vp';
import { PERSISTENCE_ERRORS } from '@vestibule/persistence';
import { HEALTH_ERRORS, STARTUP_ERRORS } from '@vestibule/process';
import { ISSUANCE_ERRORS, SD_JWT_FAILURES } from '@vestibule/sd-jwt-vc';
import { STATUS_FAILURES } from '@vestibule/status-list';
import { TRUSTED_LIST_FAILURES } from '@vestibule/trusted-lists';
import { VCDM_FAILURES } from '@vestibule/vcdm';
import { X509_CONFIGURATION_FAULTS, X509_FAILURES } from '@vestibule/x509-trust';

interface Described {
  readonly status?: number;
  readonly section?: string;
  readonly meaning: string;
  readonly remedy: string;
}
type Table = Readonly<Record<string, Described>>;

const cell = (text: string) => text.replaceAll('|', '\\|');
const row = (...cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(...headings), row(...headings.map(() => '---')), ...rows.map((cells) => row(...cells))].join('\n');
}

const described = (codes: Table) =>
  table(
    ['code', 'meaning', 'what to do'],
    Object.entries(codes).map(([code, { meaning, remedy }]) => [`\`${code}\``, meaning, remedy]),
  );

const withStatus = (codes: Table) =>
  table(
    ['code', 'HTTP', 'meaning', 'what to do'],
    Object.entries(codes).map(([code, entry]) => [
      `\`${code}\``,
      String(entry.status ?? ''),
      entry.meaning,
      entry.remedy,
    ]),
  );

const withSection = (codes: Table) =>
  table(
    ['code', 'rule', 'meaning', 'what to do'],
    Object.entries(codes).map(([code, entry]) => [`\`${code}\``, entry.section ?? '', entry.meaning, entry.remedy]),
  );

function oauthTable(): string {
  const rows = Object.entries(OAUTH_ERRORS).map(([code, entry]: [string, OAuthErrorEntry]) => {
    const other = entry.statusWithAuthorization;
    const also = other === undefined ? '' : ` (${other} with an \`Authorization\` header)`;
    const places = Object.entries(entry.statuses).map(([endpoint, status]) => `${endpoint} ${status}${also}`);
    return [`\`${code}\``, places.join(', '), entry.meaning];
  });
  return table(['code', 'endpoint and HTTP status', 'meaning'], rows);
}

const { service_unavailable, service_timeout, message_too_large, ...bus } = BUS_ERRORS;
const { idempotency_conflict, ...database } = PERSISTENCE_ERRORS;

const INTRODUCTION = `# Error codes

<!-- Written by \`npm run docs\` from the tables in the code. Do not edit. -->

Codes are part of the contract, messages are not: compare codes and display messages. No error contains a claim, token, code, key or
other input.

- **Backends** receive RFC 9457 problem details: \`type\` (\`urn:vestibule:error:<code>\`), \`title\`, \`status\`, \`detail\`, \`code\`,
  \`errors[{path, message}]\` for invalid input, \`instance\` (the request id, as in every log line of the request). \`errors\` lists
  every fault of the query string, of a header or of the body; if several of them have faults, it lists those of one.
- **Wallets** receive OAuth JSON, \`{error, error_description}\`, and never learn which check failed.
- **Callbacks** carry \`errorDetails\`: the code, \`: \` and a message. For REJECTED it is the wallet's own code, without a message.`;

const FAILURE_SECTIONS: readonly (readonly [heading: string, introduction: string, codes: Table])[] = [
  ['Credential and key binding', 'From `libs/core/sd-jwt-vc/src/failures.ts`.', SD_JWT_FAILURES],
  ['Query', 'From `libs/core/dcql/src/failures.ts`.', DCQL_FAILURES],
  ['Certificates', 'From `libs/core/x509-trust/src/failures.ts`.', X509_FAILURES],
  [
    'Status',
    'From `libs/core/status-list/src/failures.ts`. TSL is Token Status List. If a list cannot be fetched, the outcome is PROCESSING_ERROR.',
    STATUS_FAILURES,
  ],
  ['Response as a whole', 'From `libs/core/oid4vp/src/failures.ts`.', PRESENTATION_FAILURES],
  [
    'Signatures and encryption',
    'From `libs/core/crypto/src/failures.ts`. A `jwe_` code is the `reason` in the log of `response_not_decryptable`.',
    JOSE_FAILURES,
  ],
];

function verificationSections(): string[] {
  return FAILURE_SECTIONS.flatMap(([heading, introduction, codes]) => [
    `### ${heading}`,
    introduction,
    withSection(codes),
  ]);
}

/** The page `docs/errors.md`, before formatting. */
export function errorsPage(): string {
  return [
    INTRODUCTION,
    '## For backends: management API and wallet content API',
    withStatus({
      ...SCHEMA_ERRORS,
      ...BACKEND_ERRORS,
      idempotency_conflict,
      service_unavailable,
      service_timeout,
      message_too_large,
    }),
    '### W3C documents',
    'From `libs/core/vcdm/src/failures.ts`; HTTP 400, for a document that cannot be signed or does not verify.',
    withSection(VCDM_FAILURES),
    '## For wallets',
    'The OAuth codes, from `libs/core/foundation/src/oauth-errors.ts`. The response\nendpoint of a presentation returns only `invalid_request` (400) and `server_error`.',
    oauthTable(),
    'If the request had an `Authorization` header, `invalid_client` is 401 with `WWW-Authenticate`, as RFC 6749 §5.2 requires.',
    'Other codes:',
    described(WALLET_ERRORS),
    '## `errorDetails` of VERIFICATION_FAILED',
    'These codes say why a presentation failed. `section` and `remedy` are also in the decision record of `GET /oidc4vp/{state}`.',
    ...verificationSections(),
    '## `errorDetails` of PROCESSING_ERROR and FAILED',
    "### The wallet's message cannot be read",
    described(RESPONSE_FAILURES),
    '### A remote document is unavailable',
    'From `libs/platform/egress/src/failures.ts`: status lists, issuer metadata.',
    described(EGRESS_FAILURES),
    '### Internal errors',
    'The infrastructure codes below and `internal_error` can also occur. A signature often fails because of a certificate fault; see the last table.',
    described({ ...OUTCOME_ERRORS, ...ISSUANCE_ERRORS }),
    '## For operators',
    '### Infrastructure',
    withStatus({ ...database, ...SEAL_ERRORS, ...bus, ...SERVICE_ERRORS, ...HEALTH_ERRORS }),
    '### Reasons in the log',
    'A wallet receives the OAuth code, but never learns which check failed, except what its user can mend: that a transaction\ncode is missing, unexpected or wrong. The service logs the reason at level info, as `a request was refused`, with\n`code` as sent to the wallet, `reason`, `subject` of the message, `requestId`, and `subjectHash` if the flow is known (the same\nhash as in the log lines of its callbacks). The line contains no claim, token or name. Per second and code, 20 lines are written; the line `log\nlines about refusals were omitted` has their number. If a signature, key or certificate was invalid, `reason` is a code from the\ntables above. For a response that was not accepted, it is the code of `errorDetails`.',
    'Issuer, from `libs/core/oauth/src/refusal-reasons.ts`:',
    described(REFUSAL_REASONS),
    'Verifier, from `libs/core/oid4vp/src/failures.ts`:',
    described(INVALID_REQUESTS),
    '### Lists of trusted entities',
    'From `libs/core/trusted-lists/src/failures.ts`: why a version of a list is not used.',
    withSection(TRUSTED_LIST_FAILURES),
    '### Startup errors',
    described({ ...STARTUP_ERRORS, ...KEY_ERRORS, ...ISSUER_CONFIGURATION_ERRORS }),
    'Certificates and keys, from `libs/core/x509-trust/src/configuration-faults.ts`:',
    described(X509_CONFIGURATION_FAULTS),
    '',
  ].join('\n\n');
}
