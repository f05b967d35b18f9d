import { randomBytes } from 'node:crypto';

/**
 * A unique string. `core` is letters and digits; `mark` also contains characters that encodings change, so that all its
 * forms differ.
 */
export interface Canary {
  readonly core: string;
  readonly mark: string;
}

export interface Form {
  readonly name: string;
  readonly bytes: Buffer;
}

export function createCanary(random: (size: number) => Uint8Array = randomBytes): Canary {
  const core = `canary${Buffer.from(random(12)).toString('hex')}`;
  return { core, mark: `${core}ø"~?>/ü+${Buffer.from(random(4)).toString('hex')}` };
}

const each = (text: string, write: (byte: number) => string) => [...Buffer.from(text)].map(write).join('');
const hexByte = (byte: number) => byte.toString(16).padStart(2, '0');
const unicodeEscape = (text: string) =>
  [...text].map((char) => `\\u${(char.codePointAt(0) as number).toString(16).padStart(4, '0')}`).join('');

/** Base64 at each of the three alignments, without the characters that depend on adjacent bytes. */
function base64Forms(text: string, encoding: 'base64' | 'base64url'): readonly string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString(encoding)
      .replace(/=+$/, '');
    return encoded.slice(shift === 0 ? 0 : 4, -4);
  });
}

function formsOfText(text: string): readonly (readonly [string, string])[] {
  const asciiJson = JSON.stringify(text)
    .slice(1, -1)
    .replace(/[^\x20-\x7e]/g, unicodeEscape);
  const inBase64 = (['base64', 'base64url'] as const).flatMap((encoding) =>
    [text, JSON.stringify(text).slice(1, -1)].flatMap((spelled) =>
      base64Forms(spelled, encoding).map((form) => [encoding, form] as const),
    ),
  );
  return [
    ['plain', text],
    ['JSON', JSON.stringify(text).slice(1, -1)],
    ['JSON, ASCII', asciiJson],
    ['JSON, all escaped', unicodeEscape(text)],
    ['URL', encodeURIComponent(text)],
    ['URL, all encoded', each(text, (byte) => `%${hexByte(byte)}`)],
    ['URL, all encoded', each(text, (byte) => `%${hexByte(byte).toUpperCase()}`)],
    ['form', new URLSearchParams({ a: text }).toString().slice(2)],
    ['hex', Buffer.from(text).toString('hex')],
    ['hex', Buffer.from(text).toString('hex').toUpperCase()],
    ...inBase64,
  ];
}

/** The forms in which a canary might be stored, once each. */
export function formsOf({ core, mark }: Canary): readonly Form[] {
  const known = new Map<string, Form>();
  for (const [name, text] of [...formsOfText(core), ...formsOfText(mark)]) {
    if (!known.has(text)) known.set(text, { name, bytes: Buffer.from(text) });
  }
  const utf16 = Buffer.from(core, 'utf16le');
  known.set(utf16.toString('latin1'), { name: 'UTF-16', bytes: utf16 });
  return [...known.values()];
}

/** The names of the forms that occur in the bytes. */
export function findForms(bytes: Buffer, forms: readonly Form[]): readonly string[] {
  return [...new Set(forms.filter((form) => bytes.includes(form.bytes)).map(({ name }) => name))];
}
