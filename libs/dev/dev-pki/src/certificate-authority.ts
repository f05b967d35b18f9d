import 'reflect-metadata';
import { webcrypto, type KeyObject } from 'node:crypto';
import { X509CertificateGenerator, type JsonName } from '@peculiar/x509';
import { buildExtensions, type ExtensionOptions } from './certificate-extensions';
import {
  createPrivateKeyOf,
  publicKeyDer,
  signingAlgorithm,
  toSigningKey,
  type KeyType,
  type SignatureHash,
} from './key-pair';

const DAY = 86_400_000;

/** A certificate and its private key. */
export interface IssuedCertificate {
  /** DER. */
  readonly certificate: Buffer;
  readonly privateKey: KeyObject;
}

export interface IssueOptions extends ExtensionOptions {
  /** Common name of the subject. */
  readonly name: string;
  /** Organisation of the subject; default none. */
  readonly organization?: string;
  /** Default: a day before the authority's `now`. */
  readonly notBefore?: Date;
  /** Default: 365 days after the authority's `now` (an authority: ten years). */
  readonly notAfter?: Date;
  /** The subject's key; by default a new one of type `keyType` (default P-256). */
  readonly privateKey?: KeyObject;
  readonly keyType?: KeyType;
  /** Common name to write as issuer instead of the signer's own: a chain with forged names. */
  readonly issuerName?: string;
  /** Key that signs instead of the authority's: a chain with forged signatures, or a self-signed leaf. */
  readonly signingKey?: KeyObject;
  /** Default SHA-256. */
  readonly hash?: SignatureHash;
}

/** Signs certificates. `issue` creates exactly what the options say, however wrong. */
export interface Authority extends IssuedCertificate {
  readonly name: string;
  issue(options: IssueOptions): Promise<IssuedCertificate>;
  /** A CA below this one (by default `ca: true`). */
  issueAuthority(options: IssueOptions): Promise<Authority>;
}

export type AuthorityOptions = IssueOptions & { readonly now: Date };

interface Signer {
  readonly name: string;
  readonly privateKey: KeyObject;
  readonly now: Date;
}

const distinguishedName = (name: string): JsonName => [{ CN: [name] }];

async function certify(signer: Signer, subjectKey: KeyObject, options: IssueOptions): Promise<Buffer> {
  const signingKey = options.signingKey ?? signer.privateKey;
  const hash = options.hash ?? 'SHA-256';
  const lifetime = (options.ca ? 3650 : 365) * DAY;
  const certificate = await X509CertificateGenerator.create(
    {
      subject: [
        ...(options.organization === undefined ? [] : [{ O: [options.organization] }]),
        ...distinguishedName(options.name),
      ],
      issuer: distinguishedName(options.issuerName ?? signer.name),
      notBefore: options.notBefore ?? new Date(signer.now.getTime() - DAY),
      notAfter: options.notAfter ?? new Date(signer.now.getTime() + lifetime),
      publicKey: new Uint8Array(publicKeyDer(subjectKey)),
      signingKey: await toSigningKey(signingKey, hash),
      signingAlgorithm: signingAlgorithm(signingKey, hash),
      extensions: buildExtensions(options, subjectKey, signingKey),
    },
    webcrypto,
  );
  return Buffer.from(certificate.rawData);
}

const subjectKeyOf = (options: IssueOptions): KeyObject =>
  options.privateKey ?? createPrivateKeyOf(options.keyType ?? 'P-256');

function authorityOf(certificate: Buffer, signer: Signer): Authority {
  const issue = async (options: IssueOptions): Promise<IssuedCertificate> => {
    const privateKey = subjectKeyOf(options);
    return { certificate: await certify(signer, privateKey, options), privateKey };
  };
  return {
    name: signer.name,
    certificate,
    privateKey: signer.privateKey,
    issue,
    issueAuthority: async (options) => {
      const issued = await issue({ ca: true, ...options });
      return authorityOf(issued.certificate, { name: options.name, privateKey: issued.privateKey, now: signer.now });
    },
  };
}

/** Creates a self-signed root: by default CA, keyCertSign, cRLSign, valid for ten years around `now`. */
export async function createCertificateAuthority({ now, ...options }: AuthorityOptions): Promise<Authority> {
  const privateKey = subjectKeyOf(options);
  const signer: Signer = { name: options.name, privateKey, now };
  return authorityOf(await certify(signer, privateKey, { ca: true, ...options }), signer);
}

/** An existing authority, from its name, certificate and key. */
export function openCertificateAuthority(
  { certificate, privateKey }: IssuedCertificate,
  { name, now }: Pick<AuthorityOptions, 'name' | 'now'>,
): Authority {
  return authorityOf(certificate, { name, privateKey, now });
}

/** A leaf that is signed with its own key and names itself as issuer. */
export async function createSelfSignedLeaf({ now, ...options }: AuthorityOptions): Promise<IssuedCertificate> {
  const privateKey = subjectKeyOf(options);
  return { certificate: await certify({ name: options.name, privateKey, now }, privateKey, options), privateKey };
}
