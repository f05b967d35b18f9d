import { constants, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { sha256Base64url } from '@vestibule/crypto';
import { encodeBase64url, type JsonObject } from '@vestibule/foundation';
import type { IssuedCertificate } from './certificate-authority';

/** What a service of a trusted entity is, or was: `since` and `status` are absent where a scheme has none. */
export interface ListedRecord {
  readonly type?: string;
  readonly certificates: readonly Uint8Array[];
  readonly status?: string;
  readonly since?: Date;
  readonly extensions?: readonly JsonObject[];
}

export interface ListedService extends ListedRecord {
  readonly history?: readonly ListedRecord[];
}

export interface TrustedListDraft {
  /** `LoTEType`. */
  readonly type: string;
  readonly sequence: number;
  readonly issuedAt: Date;
  /** `null` for a closed list. */
  readonly nextUpdateAt: Date | null;
  readonly operator?: string;
  /** `SchemeName`; default none. */
  readonly schemeName?: string;
  readonly entities: readonly { readonly name: string; readonly services: readonly ListedService[] }[];
}

/** The default name of the scheme operator. */
export const DEVELOPMENT_OPERATOR = 'Vestibule Development Scheme Operator';

const text = (value: string) => [{ lang: 'en', value }];
const link = (uriValue: string) => [{ lang: 'en', uriValue }];
const time = (instant: Date): string => instant.toISOString().replace(/\.\d{3}Z$/, 'Z');

const recordOf = (record: ListedRecord): JsonObject => ({
  ServiceName: text('A service'),
  ServiceDigitalIdentity: {
    X509Certificates: record.certificates.map((der) => ({ val: Buffer.from(der).toString('base64') })),
  },
  ...(record.type === undefined ? {} : { ServiceTypeIdentifier: record.type }),
  ...(record.status === undefined ? {} : { ServiceStatus: record.status }),
  ...(record.since === undefined ? {} : { StatusStartingTime: time(record.since) }),
  ...(record.extensions === undefined ? {} : { ServiceInformationExtensions: [...record.extensions] }),
});

const entityOf = ({ name, services }: TrustedListDraft['entities'][number]): JsonObject => ({
  TrustedEntityInformation: {
    TEName: text(name),
    TEAddress: {
      TEPostalAddress: [{ lang: 'en', StreetAddress: 'Main Street 1', Country: 'EU' }],
      TEElectronicAddress: link('mailto:info@entity.example'),
    },
    TEInformationURI: link('https://entity.example/'),
  },
  TrustedEntityServices: services.map((service) => ({
    ServiceInformation: recordOf(service),
    ...(service.history === undefined ? {} : { ServiceHistory: service.history.map(recordOf) }),
  })),
});

/** The payload of a list of trusted entities (ETSI TS 119 602), with the members that its JSON Schema requires. */
export function trustedListPayload(draft: TrustedListDraft): JsonObject {
  const { type, sequence, issuedAt, nextUpdateAt, entities } = draft;
  return {
    LoTE: {
      ListAndSchemeInformation: {
        LoTEVersionIdentifier: 1,
        LoTESequenceNumber: sequence,
        LoTEType: type,
        SchemeOperatorName: text(draft.operator ?? DEVELOPMENT_OPERATOR),
        ...(draft.schemeName === undefined ? {} : { SchemeName: text(draft.schemeName) }),
        ListIssueDateTime: time(issuedAt),
        NextUpdate: nextUpdateAt && time(nextUpdateAt),
      },
      ...(entities.length === 0 ? {} : { TrustedEntitiesList: entities.map(entityOf) }),
    },
  };
}

export interface ListSigning {
  /** Whose key signs; its certificate comes first in `x5c`. */
  readonly signer: IssuedCertificate;
  /** Further certificates in `x5c`. */
  readonly above?: readonly Uint8Array[];
  /** Default: ES256, or what fits the key of an RSA certificate. */
  readonly algorithm?: string;
  /** Members of the protected header that replace the usual ones; undefined removes one. */
  readonly header?: Readonly<Record<string, unknown>>;
  readonly form?: 'compact' | 'flattened' | 'general';
  readonly signedAt: Date;
}

function signatureOf(algorithm: string, key: KeyObject, input: Buffer): Buffer {
  const hash = `sha${algorithm.slice(2)}`;
  if (algorithm.startsWith('PS')) {
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    return sign(hash, input, { key, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST });
  }
  return sign(hash, input, { key, dsaEncoding: 'ieee-p1363' });
}

const CURVE_ALGORITHMS: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

const algorithmFor = ({ certificate }: IssuedCertificate): string =>
  CURVE_ALGORITHMS[new X509Certificate(certificate).publicKey.asymmetricKeyDetails?.namedCurve ?? ''] ?? 'PS256';

/** Signs a list as a scheme operator does: JAdES, level B-B. `payload` may be any text, and the header may lie. */
export function signTrustedList(payload: JsonObject | string, signing: ListSigning): string {
  const { signer, above = [], algorithm = algorithmFor(signer), header = {}, form = 'compact', signedAt } = signing;
  const members = {
    alg: algorithm,
    typ: 'JOSE',
    iat: Math.floor(signedAt.getTime() / 1000),
    x5c: [signer.certificate, ...above].map((der) => Buffer.from(der).toString('base64')),
    'x5t#S256': sha256Base64url(signer.certificate),
    ...header,
  };
  const encode = (value: string) => encodeBase64url(Buffer.from(value, 'utf8'));
  const [head, body] = [
    encode(JSON.stringify(members)),
    encode(typeof payload === 'string' ? payload : JSON.stringify(payload)),
  ];
  const signature = encodeBase64url(signatureOf(algorithm, signer.privateKey, Buffer.from(`${head}.${body}`, 'ascii')));
  if (form === 'compact') return `${head}.${body}.${signature}`;
  const signed = { protected: head, signature };
  return JSON.stringify(form === 'flattened' ? { payload: body, ...signed } : { payload: body, signatures: [signed] });
}
