import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  createDevelopmentIntermediate,
  createDevelopmentRoot,
  DEVELOPMENT_SUBJECTS,
  developmentNames,
  issueDevelopmentLeaf,
  openCertificateAuthority,
  toPem,
  type Authority,
  type DevelopmentNames,
} from '@vestibule/dev-pki';
import { writePrivate } from './write-private';

/** The anchor of the trust file. */
export const ROOT_FILE = 'root.pem';

const TRUST_FILE = 'trust.json';
const TRUST = { policy: 'auto', anchors: [{ file: ROOT_FILE, purposes: ['credential', 'status'] }] };
/** The development wallet provider, whose certificate is below the same root, attests wallets and keys. */
const ATTESTERS_FILE = 'attesters.json';
const ATTESTERS = { walletAttestation: { anchors: [ROOT_FILE] }, keyAttestation: { anchors: [ROOT_FILE] } };
const LEAVES = ['verifier', 'issuer', 'issuer-access', 'wallet-provider'] as const;
const RENEWAL_DAYS = 30;
const DAY_MILLISECONDS = 86_400_000;
const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** A folder with certificates, at a point in time. */
interface PkiFolder {
  readonly folder: string;
  readonly now: Date;
}

/** A certificate of a folder, those above it in its file, and its key if that exists and matches. */
interface Kept {
  readonly certificate: X509Certificate;
  readonly above: readonly X509Certificate[];
  readonly privateKey: KeyObject | undefined;
}

function readText({ folder }: PkiFolder, name: string): string {
  const file = path.join(folder, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Anything unreadable counts as absent: it is created again. */
function orNothing<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/**
 * Node's parser guesses formats, so it is unsuitable for untrusted input; these bytes were written by {@link
 * writePrivate}, in a folder that belongs to this user alone.
 */
function readCertificates(place: PkiFolder, name: string): readonly X509Certificate[] {
  const blocks = readText(place, `${name}.pem`).match(PEM_BLOCK) ?? [];
  return orNothing(() => blocks.map((block) => new X509Certificate(block))) ?? [];
}

function readKept(place: PkiFolder, name: string): Kept | undefined {
  const [certificate, ...above] = readCertificates(place, name);
  if (!certificate) return undefined;
  const key = orNothing(() => createPrivateKey(readText(place, `${name}-key.pem`)));
  return { certificate, above, privateKey: key && certificate.checkPrivateKey(key) ? key : undefined };
}

const endOf = ({ validTo }: X509Certificate) => Date.parse(validTo);
const lasts = (certificate: X509Certificate, { now }: PkiFolder) =>
  endOf(certificate) > now.getTime() + RENEWAL_DAYS * DAY_MILLISECONDS;
const isBelow = (one: X509Certificate, issuer: X509Certificate) =>
  one.checkIssued(issuer) && one.verify(issuer.publicKey);

function namesOf({ subjectAltName = '' }: X509Certificate): string {
  return subjectAltName.split(', ').sort().join();
}

function wantedNames(names: DevelopmentNames): string {
  const { dnsNames, uris } = developmentNames(names);
  return [...dnsNames.map((name) => `DNS:${name}`), ...uris.map((uri) => `URI:${uri}`)].sort().join();
}

/** With its key, for these names, and valid for long enough below a trusted root. */
function isGoodLeaf(place: PkiFolder, leaf: Kept | undefined, names: DevelopmentNames): boolean {
  if (!leaf?.privateKey || namesOf(leaf.certificate) !== wantedNames(names)) return false;
  const [intermediate] = leaf.above;
  const roots = readCertificates(place, 'root');
  const root = intermediate && roots.find((candidate) => isBelow(intermediate, candidate));
  if (!root || !isBelow(leaf.certificate, intermediate)) return false;
  return [leaf.certificate, intermediate, root].every((certificate) => lasts(certificate, place));
}

function write({ folder }: PkiFolder, name: string, { privateKey }: Pick<Authority, 'privateKey'>, pem: string): void {
  writePrivate(path.join(folder, `${name}-key.pem`), toPem(privateKey));
  writePrivate(path.join(folder, `${name}.pem`), pem);
}

/** An authority of the folder that is valid for long enough and whose key exists. */
function openAuthority(place: PkiFolder, name: 'root' | 'intermediate'): Authority | undefined {
  const kept = readKept(place, name);
  if (!kept?.privateKey || !lasts(kept.certificate, place)) return undefined;
  const { certificate, privateKey } = kept;
  const common = { name: DEVELOPMENT_SUBJECTS[name], now: place.now };
  return openCertificateAuthority({ certificate: certificate.raw, privateKey }, common);
}

/** A new root keeps the former ones in its file until they expire: credentials below them stay trusted. */
async function ensureRoot(place: PkiFolder): Promise<Authority> {
  const kept = openAuthority(place, 'root');
  if (kept) return kept;
  const former = readCertificates(place, 'root').filter((root) => endOf(root) > place.now.getTime());
  const root = await createDevelopmentRoot(place.now);
  write(place, 'root', root, toPem([root.certificate, ...former.map(({ raw }) => raw)]));
  return root;
}

async function ensureIntermediate(place: PkiFolder, root: Authority): Promise<Authority> {
  const kept = openAuthority(place, 'intermediate');
  if (kept && isBelow(new X509Certificate(kept.certificate), new X509Certificate(root.certificate))) return kept;
  const intermediate = await createDevelopmentIntermediate(root);
  write(place, 'intermediate', intermediate, toPem(intermediate.certificate));
  return intermediate;
}

/**
 * Maintains a development PKI in a folder: `root`, `intermediate`, `verifier`, `issuer`, `issuer-access` and
 * `wallet-provider`, each as `<name>.pem` with its key in `<name>-key.pem`, and creates the files of trusted issuers and
 * attesters if there are none. A leaf that expires within 30 days, or is not
 * for these addresses, is certified again with the same key, so that status lists of older credentials stay valid. The
 * authorities above it are kept while they are valid. A folder of a version that did not keep the keys of authorities
 * then gets a new root, beside the former one.
 * @param urls public addresses that the leaves are for
 */
export async function ensurePkiFiles(folder: string, urls: readonly string[], now: Date): Promise<void> {
  const place = { folder, now };
  const names = { hosts: [...new Set(['localhost', ...urls.map((url) => new URL(url).host)])], uris: urls };
  const leaves = LEAVES.map((name) => ({ name, kept: readKept(place, name) }));
  const due = leaves.filter(({ kept }) => !isGoodLeaf(place, kept, names));
  if (due.length > 0) {
    const intermediate = await ensureIntermediate(place, await ensureRoot(place));
    for (const { name, kept } of due) {
      const privateKey = kept?.privateKey;
      const leaf = await issueDevelopmentLeaf(intermediate, name, { now, ...names, privateKey });
      write(place, name, leaf, toPem([...leaf.chain]));
    }
  }
  for (const [name, content] of Object.entries({ [TRUST_FILE]: TRUST, [ATTESTERS_FILE]: ATTESTERS })) {
    const file = path.join(folder, name);
    if (!existsSync(file)) writePrivate(file, `${JSON.stringify(content, null, 2)}\n`);
  }
}
