import { GeneralName } from '@peculiar/asn1-x509';
import { parseUrl } from '@vestibule/foundation';
import { certificateRequestFault } from './certificate-request-fault';

const MOST_NAMES = 20;
const LONGEST_HOST = 253;
/** Letters, digits and hyphens (RFC 5280 §4.2.1.6); a name in another script is written with `xn--`. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
/** The local part of an address without quotes (RFC 5321 §4.1.2). */
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const LONGEST_LOCAL = 64;

const isHost = (text: string): boolean => text.length <= LONGEST_HOST && HOST.test(text);

function isMailbox(text: string): boolean {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  return local.length <= LONGEST_LOCAL && LOCAL.test(local) && isHost(text.slice(at + 1));
}

const isWebAddress = (text: string): boolean => ['https:', 'http:'].includes(parseUrl(text)?.protocol ?? '');

const KINDS = [
  { option: 'dns', expected: 'host names', fits: isHost, make: (text: string) => new GeneralName({ dNSName: text }) },
  {
    option: 'uri',
    expected: 'absolute http or https URLs',
    fits: isWebAddress,
    make: (text: string) => new GeneralName({ uniformResourceIdentifier: text }),
  },
  {
    option: 'email',
    expected: 'email addresses',
    fits: isMailbox,
    make: (text: string) => new GeneralName({ rfc822Name: text }),
  },
] as const;

/** Texts of the options `--dns`, `--uri` and `--email`: names, separated by commas. */
export type RequestedNames = Readonly<Partial<Record<(typeof KINDS)[number]['option'], string>>>;

/** The alternative names that a certificate is asked for (RFC 5280 §4.2.1.6). Throws `command_invalid`. */
export function parseRequestedNames(texts: RequestedNames): readonly GeneralName[] {
  const names = KINDS.flatMap(({ option, expected, fits, make }) => {
    const given = texts[option]?.split(',').map((text) => text.trim()) ?? [];
    if (given.every(fits)) return given.map(make);
    throw certificateRequestFault(`--${option} must be ${expected}, separated by commas`);
  });
  if (names.length <= MOST_NAMES) return names;
  throw certificateRequestFault(`there are more than ${MOST_NAMES} names`);
}
