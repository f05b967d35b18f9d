import { createHash } from 'node:crypto';
import type { JsonValue } from '@vestibule/foundation';
import type { Card, Path } from './answer-model.fixture-spec';
import { sha256 } from './presentation.fixture-spec';

/** A number from 0 to 255 that looks random, the same for the same text. */
export const hashed = (text: string): number => createHash('sha256').update(text).digest()[0] ?? 0;
export const encode = (value: JsonValue) => Buffer.from(JSON.stringify(value)).toString('base64url');

export interface Concealed {
  readonly payload: JsonValue;
  readonly disclosures: readonly { readonly path: Path; readonly encoded: string }[];
}

/** The claims of a card as an issuer signs them (RFC 9901 §4.2), with a decoy here and there. */
export function conceal(value: JsonValue, card: Card, place: Path = []): Concealed {
  if (typeof value !== 'object' || value === null) return { payload: value, disclosures: [] };
  const disclosures: { path: Path; encoded: string }[] = [];
  const wrap = (key: string | number, item: JsonValue): { plain: JsonValue } | { digest: string } => {
    const path = [...place, key];
    const inner = conceal(item, card, path);
    disclosures.push(...inner.disclosures);
    if (!card.isDisclosable(path)) return { plain: inner.payload };
    const salt = `${card.serial} ${JSON.stringify(path)}`;
    const encoded = encode(typeof key === 'number' ? [salt, inner.payload] : [salt, key, inner.payload]);
    disclosures.push({ path, encoded });
    return { digest: sha256(encoded) };
  };
  if (Array.isArray(value)) {
    const wrapped = value.map((item, index) => wrap(index, item));
    return { payload: wrapped.map((one) => ('plain' in one ? one.plain : { '...': one.digest })), disclosures };
  }
  const wrapped = Object.keys(value).map((name) => [name, wrap(name, value[name] as JsonValue)] as const);
  const plain = wrapped.flatMap(([name, one]) => ('plain' in one ? [[name, one.plain] as const] : []));
  const decoys = hashed(`${card.serial}${JSON.stringify(place)}`) < 64 ? [sha256(`decoy ${place.join()}`)] : [];
  const digests = [...decoys, ...wrapped.flatMap(([, one]) => ('digest' in one ? [one.digest] : []))];
  const sd = digests.length > 0 ? [['_sd', digests] as const] : [];
  return { payload: Object.fromEntries([...plain, ...sd]), disclosures };
}
