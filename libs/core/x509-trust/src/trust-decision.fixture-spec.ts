import {
  createPrivateKeyOf,
  openCertificateAuthority,
  type IssueOptions,
  type IssuedCertificate,
} from '@vestibule/dev-pki';
import { der } from './crl.fixture-spec';

export const NOW = new Date('2026-03-01T12:00:00Z');
export const ISSUER = 'https://issuer.example';

/** What is unusual about a certificate; some of it is no fault. */
export const ODDITIES = [
  'expired',
  'just expired',
  'early',
  'almost valid',
  'no authority',
  'not for certificates',
  'path length 0',
  'path length 1',
  'for TLS servers',
  'constrained',
  'critical extension',
] as const;
export type Oddity = (typeof ODDITIES)[number];

/** A certificate as it was drawn: the model reads this, and the product the bytes. */
export interface Drawn {
  readonly subject: string;
  readonly key: string;
  readonly issuer: string;
  /** The key that signed it. */
  readonly signedBy: string;
  readonly isAuthority: boolean;
  readonly oddity: Oddity | undefined;
  readonly bytes: Buffer;
}

type Plan = Omit<Drawn, 'bytes'>;

const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const TLS_SERVERS = der(0x30, Buffer.from('06082b06010505070301', 'hex'));
const CONSTRAINTS = der(0x30, der(0xa0, der(0x30, der(0x82, Buffer.from('example')))));

/** With 60 s of difference between clocks, the second and the fourth are valid. */
const OPTIONS: Readonly<Record<Oddity, Partial<IssueOptions>>> = {
  expired: { notAfter: at(-61) },
  'just expired': { notAfter: at(-59) },
  early: { notBefore: at(61) },
  'almost valid': { notBefore: at(59) },
  'no authority': { ca: false },
  'not for certificates': { keyUsages: ['cRLSign'] },
  'path length 0': { pathLength: 0 },
  'path length 1': { pathLength: 1 },
  'for TLS servers': { extensions: [{ oid: '2.5.29.37', critical: false, value: TLS_SERVERS }] },
  constrained: { extensions: [{ oid: '2.5.29.30', critical: false, value: CONSTRAINTS }] },
  'critical extension': { extensions: [{ oid: '1.3.6.1.4.1.99999.7', critical: true, value: der(0x05, Buffer.of()) }] },
};

/**
 * Names with their keys: a root and its next key, another root, an intermediate and its next key, the same under another name,
 * and one more.
 */
const AUTHORITIES = [
  ['Root', 'root'],
  ['Root', 'next root'],
  ['Other root', 'other root'],
  ['CA', 'ca'],
  ['CA', 'next ca'],
  ['Renamed CA', 'ca'],
  ['Second CA', 'second ca'],
] as const;

/** Every authority certified by every one, itself included, and the leaves of each: as usual, and with an oddity. */
function plansOf(): readonly Plan[] {
  let turn = 0;
  const odd = () => ODDITIES[(turn += 1) % ODDITIES.length];
  return AUTHORITIES.flatMap(([issuer, signedBy]) => [
    ...AUTHORITIES.flatMap(([subject, key]) => {
      const plan = { subject, key, issuer, signedBy, isAuthority: true };
      return [undefined, odd()].map((oddity) => ({ ...plan, oddity }));
    }),
    ...[undefined, undefined, odd()].map((oddity) => ({
      ...{ subject: 'Issuer', key: 'issuer', issuer, signedBy },
      ...{ isAuthority: false, oddity },
    })),
    // With the key of an authority: for itself, and under another name.
    ...['CA', 'Issuer'].map((subject) => ({
      ...{ subject, key: 'ca', issuer, signedBy },
      ...{ isAuthority: false, oddity: undefined },
    })),
  ]);
}

/** The authorities and leaves of which the chains are drawn. */
export async function drawCertificates(): Promise<readonly Drawn[]> {
  const names = [...AUTHORITIES.map(([, key]) => key), 'issuer'];
  const keys = new Map(names.map((name) => [name, createPrivateKeyOf('P-256')]));
  const keyOf = (name: string) => keys.get(name) ?? createPrivateKeyOf('P-256');
  const unsigned: IssuedCertificate['certificate'] = Buffer.alloc(0);
  const drawn: Drawn[] = [];
  for (const plan of plansOf()) {
    const { subject, key, issuer, signedBy, isAuthority, oddity } = plan;
    const signer = { certificate: unsigned, privateKey: keyOf(signedBy) };
    const { certificate } = await openCertificateAuthority(signer, { name: issuer, now: NOW }).issue({
      name: subject,
      privateKey: keyOf(key),
      ca: isAuthority,
      keyUsages: isAuthority ? ['keyCertSign', 'cRLSign', 'digitalSignature'] : ['digitalSignature'],
      dnsNames: ['issuer.example'],
      ...(oddity ? OPTIONS[oddity] : {}),
    });
    drawn.push({ ...plan, bytes: certificate });
  }
  return drawn;
}
