import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { EUDI_SAMPLE_TYPE, SAMPLE_TYPE } from '@vestibule/dev-stack';

/** Claims of an invented person, for a sample credential. */
export const SAMPLE_CLAIMS = { given_name: 'Ada', family_name: 'Example', birthdate: '1984-08-12' };

const OFFER_SECONDS = 86_400;
const LOOPBACK = /^https?:\/\/(?:127\.|localhost[:/]|\[::1\])/;

interface Offering {
  /** The checkout. */
  readonly root: string;
  readonly managementUrl: string;
  readonly baseUrl: string;
}

/** An offer of a sample type; undefined if the stack has no such type any more. */
async function offerOf({ managementUrl }: Offering, type: string): Promise<string | undefined> {
  const body = { credential_configuration_id: type, claims: SAMPLE_CLAIMS, expires_in: OFFER_SECONDS };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${managementUrl}/offers`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 201) return undefined;
  return ((await response.json()) as { credential_offer_uri: string }).credential_offer_uri;
}

const qrOf = (root: string, text: string) =>
  execFileSync(process.execPath, [path.join(root, 'dist/apps/cli/main.js'), 'qr', text], { encoding: 'utf8' });

/** Who can follow the code: nobody but this machine while the address is a loopback one. */
export const qrCaption = (baseUrl: string): string =>
  LOOPBACK.test(baseUrl)
    ? `The offer for any wallet as a QR code. It leads to ${baseUrl}, which is this machine: for a phone, docs/phone.md.`
    : 'The offer for any wallet as a QR code, for a phone:';

/** What `npm start` prints about the offers that it made, as far as there are types for them. */
export function describeOffers(open: string | undefined, eudi: string | undefined): string {
  const lines = [
    ...(open === undefined ? [] : [`  any wallet       ${open}`]),
    ...(eudi === undefined ? [] : [`  EU wallet        ${eudi}   (attested keys: see docs/local-stack.md)`]),
  ];
  return lines.length === 0 ? '' : `\nOffers for a day:\n\n${lines.join('\n')}\n`;
}

/** An offer of each sample type, to try a wallet with; the one for any wallet also as a QR code. */
export async function offerSamples(offering: Offering): Promise<string> {
  const [open, eudi] = await Promise.all([SAMPLE_TYPE, EUDI_SAMPLE_TYPE].map((type) => offerOf(offering, type)));
  const told = describeOffers(open, eudi);
  if (open === undefined) return told;
  return `${told}\n${qrCaption(offering.baseUrl)}\n\n${qrOf(offering.root, open)}`;
}
