import { DER_TAG, readElements, readInside, readOnly, requireTag, type DerElement } from './der';

const MAX_NAMES = 64;
const MAX_POINTS = 64;
const MAX_ADDRESSES = 8;

/** DistributionPointName is a choice, which makes the tag around it explicit; URIs are the sixth kind of general name. */
const TAG = { name: 0xa0, fullName: 0xa0, uri: 0x86 } as const;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/**
 * The URIs of a distribution point's full name; none for a name relative to the issuer (RFC 5280 §4.2.1.13). `name` is
 * the element around the choice. Throws `certificate_malformed`.
 */
export function readFullName(name: DerElement): readonly string[] {
  const choice = readOnly(requireTag(name, TAG.name).content);
  if (choice.tag !== TAG.fullName) return [];
  const names = readElements(choice.content, MAX_NAMES).filter(({ tag }) => tag === TAG.uri);
  return names.map(({ content }) => content.toString('latin1'));
}

/** Only a point without `reasons` and `cRLIssuer` leads to the complete list of the issuer itself. */
function readPoint(point: DerElement): readonly string[] {
  const [name, ...others] = readInside(point, DER_TAG.sequence, 3);
  return name?.tag === TAG.name && others.length === 0 ? readFullName(name) : [];
}

const isAddress = (uri: string): boolean => /^https?:\/\//i.test(uri) && VISIBLE_ASCII.test(uri) && URL.canParse(uri);

/**
 * The first eight http(s) addresses of the cRLDistributionPoints extension with this value. Other names and partial
 * points are left out; what is no URL is left out too. Throws `certificate_malformed`.
 */
export function readCrlDistributionPoints(value: Buffer): readonly string[] {
  const points = readInside(readOnly(value), DER_TAG.sequence, MAX_POINTS);
  return [...new Set(points.flatMap(readPoint).filter(isAddress))].slice(0, MAX_ADDRESSES);
}
