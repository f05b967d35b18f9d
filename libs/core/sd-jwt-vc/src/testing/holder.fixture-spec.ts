import { setOwnMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { hash } from './sd-jwt-builder.fixture-spec';

export type Path = readonly (string | number)[];
export type Choice = (path: Path) => boolean;

/** A holder by the letter of RFC 9901 §7.2: chooses by the path of a claim and sends parents with their children. */
class Holder {
  readonly chosen: string[] = [];
  private readonly disclosures: Map<string, string>;

  constructor(
    disclosures: readonly string[],
    private readonly wants: Choice,
  ) {
    this.disclosures = new Map(disclosures.map((encoded) => [hash(encoded), encoded]));
  }

  private reveal(digest: string, pathOf: (elements: JsonValue[]) => Path): void {
    const encoded = this.disclosures.get(digest);
    if (encoded === undefined) return;
    const elements = JSON.parse(Buffer.from(encoded, 'base64url').toString()) as JsonValue[];
    const path = pathOf(elements);
    if (!this.wants(path)) return;
    this.chosen.push(encoded);
    this.walk(elements.at(-1) as JsonValue, path);
  }

  walk(value: JsonValue, path: Path): void {
    if (value === null || typeof value !== 'object') return;
    if (Array.isArray(value)) value.forEach((item, index) => this.element(item, [...path, index]));
    else Object.keys(value).forEach((name) => this.member(value, name, path));
  }

  private element(item: JsonValue, path: Path): void {
    const isPlaceholder = typeof item === 'object' && item !== null && Object.hasOwn(item, '...');
    if (isPlaceholder) this.reveal((item as JsonObject)['...'] as string, () => path);
    else this.walk(item, path);
  }

  private member(object: JsonObject, name: string, path: Path): void {
    if (name !== '_sd') this.walk(object[name] as JsonValue, [...path, name]);
    else (object['_sd'] as string[]).forEach((digest) => this.reveal(digest, (e) => [...path, e[1] as string]));
  }
}

/** The disclosures that a holder sends who wants to show the claims at the chosen paths. */
export function chooseDisclosures(payload: JsonObject, disclosures: readonly string[], wants: Choice): string[] {
  const holder = new Holder(disclosures, wants);
  holder.walk(payload, []);
  return holder.chosen;
}

/** What a verifier must see of `value`: members that are not visible are gone, elements leave a hole. */
export function visiblePart(value: JsonValue, isVisible: Choice, path: Path = []): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    return value.map((item, index) => {
      const here = [...path, index];
      return (isVisible(here) ? visiblePart(item, isVisible, here) : undefined) as JsonValue;
    });
  }
  const target: JsonObject = {};
  for (const name of Object.keys(value)) {
    const here = [...path, name];
    if (isVisible(here)) setOwnMember(target, name, visiblePart(value[name] as JsonValue, isVisible, here));
  }
  return target;
}
