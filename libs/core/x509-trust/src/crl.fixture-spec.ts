import { sign } from 'node:crypto';
import type { Authority } from '@vestibule/dev-pki';
import { parseCertificate } from './index';

export const now = new Date('2026-03-01T12:00:00Z');
export const HOUR = 3_600_000;
export const at = (hours: number): Date => new Date(now.getTime() + hours * HOUR);

/** One DER element. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const octets = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : undefined;
  const long = length < 0x1_0000 ? [0x82, length >> 8, length & 0xff] : [0x83, length >> 16, (length >> 8) & 0xff];
  const header = octets ?? (length < 0x1_0000 ? long : [...long, length & 0xff]);
  return Buffer.concat([Buffer.of(tag, ...header), content]);
}

export const ascii = (tag: number, text: string): Buffer => der(tag, Buffer.from(text, 'latin1'));
export const time = (date: Date): Buffer => ascii(0x18, date.toISOString().replace(/[-:T]|\.\d+/g, ''));

const OIDS: Record<string, string> = {
  reasonCode: '551d15',
  invalidityDate: '551d18',
  certificateIssuer: '551d1d',
  cRLNumber: '551d14',
  deltaCRLIndicator: '551d1b',
  issuingDistributionPoint: '551d1c',
  freshestCRL: '551d2e',
  unknown: '2a0304',
};

export interface ExtensionParts {
  readonly critical?: boolean;
  readonly value?: Uint8Array;
}

/** One extension of a list or an entry; its value is an INTEGER unless given. */
export function extension(
  name: string,
  { critical, value = Buffer.from('020101', 'hex') }: ExtensionParts = {},
): Buffer {
  const marked = critical === undefined ? [] : [Buffer.of(1, 1, critical ? 0xff : 0)];
  return der(0x30, der(0x06, Buffer.from(OIDS[name] ?? '', 'hex')), ...marked, der(0x04, value));
}

export const reason = (code: number): Buffer => extension('reasonCode', { value: Buffer.of(0x0a, 1, code) });

/** One entry of a list; `serial` is the content of an INTEGER. */
export function entry(serial: Uint8Array, extensions: readonly Buffer[] = []): Buffer {
  const rest = extensions.length > 0 ? [der(0x30, ...extensions)] : [];
  return der(0x30, der(0x02, serial), time(at(-24)), ...rest);
}

/** The value of an issuing distribution point: names in the full name, then the given members as they are. */
export function issuingPoint(uris: readonly string[] | undefined, ...members: readonly Buffer[]): Buffer {
  const name = uris && der(0xa0, der(0xa0, ...uris.map((uri) => ascii(0x86, uri))));
  return extension('issuingDistributionPoint', {
    critical: true,
    value: der(0x30, ...(name ? [name] : []), ...members),
  });
}

const ECDSA_SHA256 = der(0x30, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));

/** A list in which everything can be replaced; an absent part is `null`. */
export interface CrlParts {
  readonly version?: Buffer | null;
  readonly innerAlgorithm?: Buffer;
  readonly outerAlgorithm?: Buffer;
  readonly issuer?: Buffer;
  readonly thisUpdate?: Buffer;
  readonly nextUpdate?: Buffer | null;
  readonly entries?: readonly Uint8Array[] | null;
  readonly extensions?: readonly Buffer[] | null;
  /** Elements behind the extensions. */
  readonly after?: readonly Buffer[];
  readonly signature?: Buffer;
}

const NOTHING = Buffer.alloc(0);
const partOf = (part: Buffer | null | undefined, otherwise: Buffer): Buffer =>
  part === undefined ? otherwise : (part ?? NOTHING);

function signedPart(issuer: Buffer, parts: CrlParts): Buffer {
  const { entries = [], extensions, after = [] } = parts;
  return der(
    0x30,
    partOf(parts.version, Buffer.of(2, 1, 1)),
    partOf(parts.innerAlgorithm, ECDSA_SHA256),
    issuer,
    partOf(parts.thisUpdate, time(at(-1))),
    partOf(parts.nextUpdate, time(at(1))),
    entries ? der(0x30, ...entries) : NOTHING,
    extensions ? der(0xa0, der(0x30, ...extensions)) : NOTHING,
    ...after,
  );
}

/** A list of the authority, signed with its P-256 key, current for an hour either way of `now`; wrong where told. */
export function crlOf(authority: Pick<Authority, 'certificate' | 'privateKey'>, parts: CrlParts = {}): Buffer {
  const list = signedPart(parts.issuer ?? parseCertificate(authority.certificate).subject, parts);
  const signature = parts.signature ?? sign('sha256', list, authority.privateKey);
  return der(0x30, list, partOf(parts.outerAlgorithm, ECDSA_SHA256), der(0x03, Buffer.of(0), signature));
}
