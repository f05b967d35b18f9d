import type { Language } from './language';

/** Names of the wallet's cases for people: English and German. */
const NAMES: Readonly<Record<string, readonly [en: string, de: string]>> = {
  accept: ['Accept', 'Annehmen'],
  decline: ['Decline', 'Ablehnen'],
  slow: ['Slow', 'Langsam'],
  discard: ['Cannot store it', 'Kann nicht speichern'],
  'expired-credential': ['Expired credential', 'Abgelaufener Nachweis'],
  'revoked-credential': ['Revoked credential', 'Widerrufener Nachweis'],
  'suspended-credential': ['Suspended credential', 'Ausgesetzter Nachweis'],
  'foreign-issuer': ['Foreign issuer', 'Fremder Aussteller'],
  'imitated-issuer': ['Imitated issuer', 'Nachgeahmter Aussteller'],
  'self-signed-issuer': ['Self-signed issuer', 'Selbst signierter Aussteller'],
  'issuer-as-authority': ['Issuer acts as authority', 'Aussteller als Zertifizierungsstelle'],
  'tampered-disclosure': ['Tampered claim', 'Verfälschte Angabe'],
  'invented-claim': ['Invented claim', 'Erfundene Angabe'],
  'tampered-signature': ['Tampered signature', 'Verfälschte Signatur'],
  'wrong-nonce': ['Wrong nonce', 'Falsche Nonce'],
  'wrong-audience': ['Wrong audience', 'Falscher Empfänger'],
  'old-proof': ['Old proof', 'Alter Beweis'],
  'stolen-credential': ['Stolen credential', 'Gestohlener Nachweis'],
  'no-key-binding': ['No key binding', 'Ohne Schlüsselbindung'],
  'missing-claim': ['Claims kept back', 'Angaben zurückgehalten'],
  'other-state': ['State of another request', 'State einer anderen Anfrage'],
  unencrypted: ['Unencrypted', 'Unverschlüsselt'],
  twice: ['Twice', 'Zweimal'],
  'wrong-tx-code': ['Wrong transaction code', 'Falscher Transaktionscode'],
  'no-tx-code': ['No transaction code', 'Ohne Transaktionscode'],
  'no-dpop': ['Token without proof', 'Token ohne Beweis'],
  'stolen-token': ['Stolen token', 'Gestohlenes Token'],
  'tampered-proof': ['Tampered key proof', 'Verfälschter Schlüsselbeweis'],
  'stolen-key': ['Stolen key', 'Gestohlener Schlüssel'],
};

/** What a case is called. */
export const caseName = (name: string, language: Language): string => {
  const [inEnglish = name, inGerman = name] = NAMES[name] ?? [];
  return language === 'de' ? inGerman : inEnglish;
};
