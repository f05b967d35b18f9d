import {
  below,
  isJsonObject,
  ownMember,
  urlFault,
  type FaultNote,
  type JsonObject,
  type JsonValue,
} from '@vestibule/foundation';
import type { ClaimDisplay } from './claim-metadata';
import type { TypeDisplay } from './credential-type';

/** The canonical form of a well-formed language tag (BCP 47), or undefined. */
function canonicalLocale(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** As long as the whole document may be: the URI of an image may contain the image itself. */
const MAX_IMAGE_URI_LENGTH = 1_048_576;

const IMAGE_DATA = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,]/i;
const COLOR = /^(?:#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|(?:rgb|hsl)a?\([0-9.,%/ +-]{5,64}\))$/i;

/**
 * What is wrong with the URI of an image; undefined if it is an https URL or a data: URI of an image, the only places that
 * a wallet may load one from (SD-JWT VC §8.1).
 */
export function imageUriFault(uri: string): string | undefined {
  const isUrl = urlFault(uri, { schemes: ['https', 'data'], maxLength: MAX_IMAGE_URI_LENGTH }) === undefined;
  const isImage = !/^data:/i.test(uri) || IMAGE_DATA.test(uri);
  return isUrl && isImage ? undefined : 'must be an https URL, or a data URI of a PNG, JPEG, GIF, WebP or SVG image';
}

/** The member `name` of `object` if it is a string; notes a fault for another type, or if a required one is absent. */
export function readText(
  object: JsonObject,
  name: string,
  note: FaultNote,
  presence: 'required' | 'optional' = 'optional',
): string | undefined {
  const value = ownMember(object, name);
  if (typeof value === 'string' && value !== '') return value;
  if (value !== undefined && typeof value !== 'string') note(name, 'must be a string');
  else if (presence === 'required') note(name, 'is required');
  return undefined;
}

function readImage(simple: JsonObject, name: 'logo' | 'background_image', note: FaultNote): TypeDisplay['logo'] {
  const image = ownMember(simple, name);
  if (image === undefined) return undefined;
  const at = below(note, name);
  if (!isJsonObject(image)) {
    at('', 'must be an object');
    return undefined;
  }
  const uri = readText(image, 'uri', at, 'required');
  const altText = readText(image, 'alt_text', at);
  readText(image, 'uri#integrity', at);
  if (uri === undefined) return undefined;
  const fault = imageUriFault(uri);
  if (fault !== undefined) at('uri', fault);
  return { uri, ...(altText === undefined ? {} : { altText }) };
}

/** A colour in numbers (OpenID4VCI 1.0 §12.2.4): wallets know no names of colours. */
function readColour(simple: JsonObject, name: string, note: FaultNote): string | undefined {
  const color = readText(simple, name, note);
  const isColour = color === undefined || COLOR.test(color);
  if (!isColour) note(name, 'must be a colour in numbers, such as #12107c or rgb(18, 16, 124)');
  return color;
}

type Rendering = Pick<TypeDisplay, 'logo' | 'backgroundImage' | 'backgroundColor' | 'textColor'>;

function readSimpleRendering(simple: JsonObject, note: FaultNote): Rendering {
  const logo = readImage(simple, 'logo', note);
  const background = readImage(simple, 'background_image', note);
  const backgroundColor = readColour(simple, 'background_color', note);
  const textColor = readColour(simple, 'text_color', note);
  return {
    ...(logo ? { logo } : {}),
    ...(background ? { backgroundImage: { uri: background.uri } } : {}),
    ...(backgroundColor === undefined ? {} : { backgroundColor }),
    ...(textColor === undefined ? {} : { textColor }),
  };
}

function checkSvgTemplates(templates: JsonValue | undefined, note: FaultNote): void {
  if (templates === undefined) return;
  if (!Array.isArray(templates)) return note('', 'must be an array');
  templates.forEach((template, index) => {
    const at = below(note, `[${index}]`);
    if (!isJsonObject(template)) return at('', 'must be an object');
    const uri = readText(template, 'uri', at, 'required');
    const fault = uri === undefined ? undefined : imageUriFault(uri);
    if (fault !== undefined) at('uri', fault);
    const alone = templates.length === 1 || isJsonObject(ownMember(template, 'properties'));
    if (!alone) at('properties', 'is required if there is more than one template');
  });
}

function readRendering(rendering: JsonValue | undefined, note: FaultNote): Rendering {
  if (rendering === undefined) return {};
  if (!isJsonObject(rendering)) {
    note('', 'must be an object');
    return {};
  }
  checkSvgTemplates(ownMember(rendering, 'svg_templates'), below(note, 'svg_templates'));
  const simple = ownMember(rendering, 'simple');
  if (simple === undefined) return {};
  if (isJsonObject(simple)) return readSimpleRendering(simple, below(note, 'simple'));
  note('simple', 'must be an object');
  return {};
}

function readLocale(entry: JsonObject, seen: Set<string>, note: FaultNote): string | undefined {
  const locale = readText(entry, 'locale', note, 'required');
  if (locale === undefined) return undefined;
  const canonical = canonicalLocale(locale);
  if (canonical === undefined) note('locale', 'must be a language tag of BCP 47');
  else if (seen.has(canonical)) note('locale', 'occurs twice');
  else seen.add(canonical);
  return locale;
}

/** The entries of a `display` array, each with its own language; faulty entries are noted and left out. */
export function readDisplay<T>(
  value: JsonValue | undefined,
  note: FaultNote,
  read: (entry: JsonObject, locale: string, note: FaultNote) => T | undefined,
): T[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    note('', 'must be an array');
    return [];
  }
  const seen = new Set<string>();
  return value.flatMap((entry, index) => {
    const at = below(note, `[${index}]`);
    if (!isJsonObject(entry)) {
      at('', 'must be an object');
      return [];
    }
    const display = read(entry, readLocale(entry, seen, at) ?? '', at);
    return display === undefined ? [] : [display];
  });
}

/** One entry of the type's `display` (SD-JWT VC §8). */
export function readTypeDisplay(entry: JsonObject, locale: string, note: FaultNote): TypeDisplay | undefined {
  const name = readText(entry, 'name', note, 'required');
  const description = readText(entry, 'description', note);
  const rendering = readRendering(ownMember(entry, 'rendering'), below(note, 'rendering'));
  if (name === undefined) return undefined;
  return { locale, name, ...(description === undefined ? {} : { description }), ...rendering };
}

/** One entry of a claim's `display` (SD-JWT VC §9.2). */
export function readClaimDisplay(entry: JsonObject, locale: string, note: FaultNote): ClaimDisplay | undefined {
  const label = readText(entry, 'label', note, 'required');
  const description = readText(entry, 'description', note);
  return label === undefined ? undefined : { locale, label, ...(description === undefined ? {} : { description }) };
}
