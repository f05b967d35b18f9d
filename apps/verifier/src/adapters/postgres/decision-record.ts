import { JOSE_FAILURES } from '@vestibule/crypto';
import { DCQL_FAILURES } from '@vestibule/dcql';
import { EGRESS_FAILURES } from '@vestibule/egress';
import { PRESENTATION_FAILURES, RESPONSE_FAILURES, type CheckEntry } from '@vestibule/oid4vp';
import { SD_JWT_FAILURES } from '@vestibule/sd-jwt-vc';
import { STATUS_FAILURES } from '@vestibule/status-list';
import { X509_FAILURES } from '@vestibule/x509-trust';

/*
 * A decision record as text, one line for each run of entries about the same credential:
 *
 *   1                             the version of this form
 *    Ag4Me+2                      a blank: entries about no credential
 *   pid B1aC9pF2s!expired         the id of a credential query, a blank, its entries
 *   {"check":"…"}                 an entry that has no short form, as JSON
 *
 * An entry is the letter of its check and its duration in microseconds, base 36; then `+` and the number of surplus
 * claims, `*` and the number of surplus credentials, `~` and a note, or `!` and the code of a failure.
 */
const VERSION = '1';

/** The letters are in stored records: add checks at the end, and never change or remove one. */
const CHECKS: readonly (readonly [check: string, section: string])[] = [
  ['response', 'OpenID4VP 1.0 §8.3'],
  ['vp_token', 'OpenID4VP 1.0 §8.1'],
  ['sd_jwt_structure', 'RFC 9901 §4'],
  ['issuer_certificate_chain', 'RFC 5280 §6.1'],
  ['issuer_metadata', 'SD-JWT VC §5'],
  ['issuer_signature', 'RFC 9901 §7.1'],
  ['disclosures', 'RFC 9901 §7.1'],
  ['issuer_trust', 'HAIP 1.0 §6.1.1'],
  ['validity', 'RFC 7519 §4.1'],
  ['key_binding', 'RFC 9901 §7.3'],
  ['status_reference', 'HAIP 1.0 §6.1'],
  ['transaction_data', 'OpenID4VP 1.0 §8.4'],
  ['dcql', 'OpenID4VP 1.0 §8.6'],
  ['status', 'Token Status List §8.3'],
  ['certificate_revocation', 'RFC 5280 §6.3.3'],
  ['issuer_metadata_document', 'SD-JWT VC §5'],
  ['callback', 'the bound on callbacks'],
  ['sca_evidence', 'TS12 1.0.1 §3.6'],
  ['vct_subtype', 'OpenID4VP 1.0 §B.3.5'],
];

const FIRST_LETTER = 'A'.charCodeAt(0);
const LETTERS: ReadonlyMap<string, string> = new Map(
  CHECKS.map(([check], index) => [check, String.fromCharCode(FIRST_LETTER + index)]),
);
const RULES: ReadonlyMap<string, string> = new Map(CHECKS);

interface Explanation {
  /** If absent, the failure is about the rule of its check. */
  readonly section?: string;
  readonly remedy: string;
}

/** What is shown for the code of a failure, so that records need not repeat it. */
const EXPLANATIONS: ReadonlyMap<string, Explanation> = new Map(
  [
    EGRESS_FAILURES,
    JOSE_FAILURES,
    X509_FAILURES,
    STATUS_FAILURES,
    SD_JWT_FAILURES,
    DCQL_FAILURES,
    RESPONSE_FAILURES,
    PRESENTATION_FAILURES,
  ].flatMap((table): [string, Explanation][] => Object.entries(table)),
);

const CREDENTIAL_ID = /^[A-Za-z0-9_-]+$/;
const WORD = /^[a-z0-9_]+$/;
const ENTRY = /([A-Z])([0-9a-z]+)(?:\+([0-9a-z]+))?(?:\*([0-9a-z]+))?(?:~([a-z0-9_]+))?(?:!([a-z0-9_]+))?/y;

const isCount = (count: number | undefined) => count === undefined || (Number.isSafeInteger(count) && count >= 0);
const isWord = (text: string | undefined) => text === undefined || WORD.test(text);
const prefixed = (sign: string, count: number | undefined) =>
  count === undefined ? '' : `${sign}${count.toString(36)}`;

function failureOf(section: string, code: string): Partial<CheckEntry> & { readonly section: string } {
  const known = EXPLANATIONS.get(code);
  return { section: known?.section ?? section, code, ...(known ? { remedy: known.remedy } : {}) };
}

/** The short form, or undefined if it would not say exactly the same. */
function shortForm(entry: CheckEntry): string | undefined {
  const { check, milliseconds, surplusClaims, surplusCredentials, note, code } = entry;
  const letter = LETTERS.get(check);
  const microseconds = Math.round(milliseconds * 1000);
  const isExact = isCount(microseconds) && microseconds / 1000 === milliseconds;
  const isShort = isCount(surplusClaims) && isCount(surplusCredentials) && isWord(note) && isWord(code);
  if (letter === undefined || !isExact || !isShort) return undefined;
  const counts = `${prefixed('+', surplusClaims)}${prefixed('*', surplusCredentials)}`;
  const words = `${note === undefined ? '' : `~${note}`}${code === undefined ? '' : `!${code}`}`;
  return `${letter}${microseconds.toString(36)}${counts}${words}`;
}

/** Whether rule, outcome and remedy of an entry follow from its check and its code. */
function isUsual({ check, section, outcome, code, remedy }: CheckEntry): boolean {
  const rule = RULES.get(check);
  if (rule === undefined) return false;
  if (code === undefined) return outcome === 'passed' && section === rule && remedy === undefined;
  const shown = failureOf(rule, code);
  return outcome === 'failed' && section === shown.section && remedy === shown.remedy;
}

/**
 * Writes a decision record compactly: about sixty bytes for a presentation of one credential. What follows from a check
 * or a code (its rule, its remedy) is left out, and shown when the record is read.
 */
export function encodeDecisionRecord(entries: readonly CheckEntry[]): string {
  let text = VERSION;
  let subject: string | undefined;
  for (const entry of entries) {
    const { credential = '' } = entry;
    const isNamed = entry.credential === undefined || CREDENTIAL_ID.test(credential);
    const short = isNamed && isUsual(entry) ? shortForm(entry) : undefined;
    if (short === undefined) {
      text += `\n${JSON.stringify(entry)}`;
      subject = undefined;
      continue;
    }
    text += subject === credential ? short : `\n${credential} ${short}`;
    subject = credential;
  }
  return text;
}

const unreadable = () => new Error('a decision record is not in the form in which it is written');

/** A letter that only a newer version knows says at least that there was a check, and how it ended. */
function ruleOf(letter: string): readonly [check: string, section: string] {
  return CHECKS[letter.charCodeAt(0) - FIRST_LETTER] ?? [`check ${letter}`, 'known to newer versions'];
}

function entryOf(match: RegExpExecArray, credential: string): CheckEntry {
  const [, letter = '', microseconds = '', claims, credentials, note, code] = match;
  const [check, section] = ruleOf(letter);
  return {
    check,
    ...(code === undefined ? { section } : failureOf(section, code)),
    ...(credential === '' ? {} : { credential }),
    outcome: code === undefined ? 'passed' : 'failed',
    milliseconds: parseInt(microseconds, 36) / 1000,
    ...(claims === undefined ? {} : { surplusClaims: parseInt(claims, 36) }),
    ...(credentials === undefined ? {} : { surplusCredentials: parseInt(credentials, 36) }),
    ...(note === undefined ? {} : { note }),
  };
}

function entriesOf(line: string): CheckEntry[] {
  if (line.startsWith('{')) return [JSON.parse(line) as CheckEntry];
  const blank = line.indexOf(' ');
  if (blank < 0) throw unreadable();
  const entries: CheckEntry[] = [];
  ENTRY.lastIndex = blank + 1;
  while (ENTRY.lastIndex < line.length) {
    const match = ENTRY.exec(line);
    if (!match) throw unreadable();
    entries.push(entryOf(match, line.slice(0, blank)));
  }
  return entries;
}

/**
 * Reads a decision record that this program, or a version of it, wrote. Rules and remedies are those of this version.
 * Throws an Error if it is in no known form.
 */
export function decodeDecisionRecord(text: string): CheckEntry[] {
  const [version, ...lines] = text.split('\n');
  if (version !== VERSION) throw unreadable();
  return lines.flatMap(entriesOf);
}
