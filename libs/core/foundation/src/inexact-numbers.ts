import type { Fault } from './domain-error';
import { isExactNumber } from './exact-number';
import { decodeUtf8 } from './json';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  endOfNumber,
  endOfString,
  isDigit,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  readJsonText,
} from './json-text';
import { DEFAULT_JSON_LIMITS, type JsonLimits } from './json-value';

/** The position of a value in a JSON document: names of members and positions in arrays, from the root down. */
export type JsonPath = readonly (string | number)[];

/** As many as a list of faults names. */
const MAX_FOUND = 100;

/** An array that is open at this point of the text, with the position in it, or an object, with its member as it is written. */
interface Container {
  at: number | string;
  /** True where the next string of an object is a name. */
  awaitsName: boolean;
}

const textOf = (written: string) => JSON.parse(written) as string;

class Walk {
  readonly found: JsonPath[] = [];
  readonly #open: Container[] = [];

  constructor(private readonly text: string) {}

  run(): void {
    for (let index = 0; index < this.text.length && this.found.length < MAX_FOUND; index += 1) {
      const unit = this.text.charCodeAt(index);
      if (unit === QUOTE) index = this.passString(index);
      else if (isDigit(unit) || unit === MINUS) index = this.passNumber(index);
      else this.passStructure(unit);
    }
  }

  private passString(start: number): number {
    const end = endOfString(this.text, start);
    const container = this.#open.at(-1);
    if (container?.awaitsName) {
      container.at = this.text.slice(start, end + 1);
      container.awaitsName = false;
    }
    return end;
  }

  private passNumber(start: number): number {
    const end = endOfNumber(this.text, start);
    if (!isExactNumber(this.text.slice(start, end))) {
      this.found.push(this.#open.map(({ at }) => (typeof at === 'number' ? at : textOf(at))));
    }
    return end - 1;
  }

  private passStructure(unit: number): void {
    const container = this.#open.at(-1);
    if (unit === OPEN_BRACE) this.#open.push({ at: '""', awaitsName: true });
    else if (unit === OPEN_BRACKET) this.#open.push({ at: 0, awaitsName: false });
    else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) this.#open.pop();
    else if (unit === COMMA && typeof container?.at === 'number') container.at += 1;
    else if (unit === COMMA && container) container.awaitsName = true;
  }
}

/**
 * The positions of the numbers because of which `parseJson` refuses a text, in the order of the text, the first hundred
 * of them. Empty for a text that it accepts, or refuses for another reason. Linear in the length of the text.
 */
export function findInexactNumbers(text: string, limits: JsonLimits = DEFAULT_JSON_LIMITS): readonly JsonPath[] {
  const document = readJsonText(text, limits);
  if (!document || document.exact) return [];
  const walk = new Walk(text);
  walk.run();
  return walk.found;
}

function findInexactNumbersInBytes(bytes: Uint8Array, limits: JsonLimits = DEFAULT_JSON_LIMITS): readonly JsonPath[] {
  const text = bytes.byteLength > limits.maxLength * 3 ? undefined : decodeUtf8(bytes);
  return text === undefined ? [] : findInexactNumbers(text, limits);
}

const PLAIN_NAME = /^[A-Za-z_$][\w$#-]*$/;
const MAX_SHOWN_NAME = 100;

function shownName(name: string): string {
  return name.length > MAX_SHOWN_NAME ? `${name.slice(0, MAX_SHOWN_NAME)}…` : name;
}

/** A path as faults write it: `a.b[0]`, other names as `["c d"]`; names are cut after 100 characters. */
export function describePath(path: JsonPath): string {
  return path.reduce<string>((parent, part) => {
    if (typeof part === 'number') return `${parent}[${part}]`;
    const name = shownName(part);
    if (!PLAIN_NAME.test(name)) return `${parent}[${JSON.stringify(name)}]`;
    return parent === '' ? name : `${parent}.${name}`;
  }, '');
}

const CLAIM_NAME = /^[A-Za-z_][\w-]{0,63}$/;
const LONG_DIGITS = /\d{4}/;

/**
 * The same for an untrusted document, whose member names may be personal data: a name that does not look like that of a
 * claim, or has four digits in a row, is shown as `…`.
 */
function describeForeignPath(path: JsonPath): string {
  const isShown = (name: string) => CLAIM_NAME.test(name) && !LONG_DIGITS.test(name);
  return describePath(path.map((part) => (typeof part === 'number' || isShown(part) ? part : '…')));
}

/** What a fault says of a number that is not exact. */
const INEXACT_NUMBER = 'must be a number that a double (IEEE 754) represents exactly; send other numbers as strings';

/**
 * A fault for every number of a backend's document that is not exact, its path beginning with `at`; empty unless that is
 * why `parseJson` refused the document.
 */
export function inexactNumberFaults(
  bytes: Uint8Array,
  limits: JsonLimits = DEFAULT_JSON_LIMITS,
  at: JsonPath = [],
): Fault[] {
  return findInexactNumbersInBytes(bytes, limits).map((path) => ({
    path: describePath([...at, ...path]),
    message: INEXACT_NUMBER,
  }));
}

/** Why `parseJson` refused a document of a backend or an operator: each number that is not exact, or else `otherwise`. */
export function unreadableJsonFaults(bytes: Uint8Array, otherwise: Fault, limits = DEFAULT_JSON_LIMITS): Fault[] {
  const inexact = inexactNumberFaults(bytes, limits);
  return inexact.length > 0 ? inexact : [otherwise];
}

/** The sentence for a number of an untrusted document that is not exact. */
export const describeInexact = (path: JsonPath): string =>
  `the number at ${describeForeignPath(path) || 'the top'} cannot be represented exactly`;

/**
 * The sentence for an untrusted document that `parseJson` refuses because of a number: where the first one is, as far
 * as names of claims tell. Undefined if it was not a number. `placeOf` replaces the path with a better description,
 * where there is one.
 */
export function inexactNumberDetail(
  bytes: Uint8Array,
  limits: JsonLimits = DEFAULT_JSON_LIMITS,
  placeOf: (path: JsonPath) => JsonPath = (path) => path,
): string | undefined {
  const [path] = findInexactNumbersInBytes(bytes, limits);
  return path && describeInexact(placeOf(path));
}
