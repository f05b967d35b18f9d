import { sign } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { IssuerIdentity } from './mint';

/** Two bits for each place (Token Status List §7.1). */
const VALUES = { revoked: 1, suspended: 2 } as const;

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A status list token of four places, signed by the issuer; the first one has this status, the others are valid. */
export function signStatusList(identity: IssuerIdentity, uri: string, status: keyof typeof VALUES, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000);
  const header = {
    alg: 'ES256',
    typ: 'statuslist+jwt',
    x5c: identity.chain.map((der) => Buffer.from(der).toString('base64')),
  };
  const payload = {
    sub: uri,
    iat: seconds - 10,
    exp: seconds + 3_600,
    ttl: 300,
    status_list: { bits: 2, lst: deflateSync(Buffer.from([VALUES[status], 0])).toString('base64url') },
  };
  const input = `${encode(header)}.${encode(payload)}`;
  const key = { key: identity.key, dsaEncoding: 'ieee-p1363' } as const;
  return `${input}.${sign('sha256', Buffer.from(input, 'ascii'), key).toString('base64url')}`;
}
