import { nkeys } from '@nats-io/transport-node';

type KeyPair = ReturnType<typeof nkeys.createUser>;

const HEADER = { typ: 'JWT', alg: 'ed25519-nkey' };
const ACCOUNT_LIMITS = {
  ...{ subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 },
};
const USER_LIMITS = { subs: -1, data: -1, payload: -1 };
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A JWT as `nsc` signs it. */
function signJwt(issuer: KeyPair, subject: KeyPair, claims: object, exp?: number): string {
  const [iss, sub] = [issuer.getPublicKey(), subject.getPublicKey()];
  const iat = Math.floor(Date.now() / 1_000) - 3_600;
  const body = { jti: sub, iat, iss, sub, name: sub.slice(0, 8), ...(exp === undefined ? {} : { exp }), nats: claims };
  const input = `${part(HEADER)}.${part(body)}`;
  return `${input}.${Buffer.from(issuer.sign(Buffer.from(input))).toString('base64url')}`;
}

const block = (name: string, text: string) => `-----BEGIN ${name}-----\n${text}\n------END ${name}------\n\n`;

/** A server whose users are signed for by an account, and accounts by an operator. */
export function createOperatorMode() {
  const [operator, account] = [nkeys.createOperator(), nkeys.createAccount()];
  const operatorJwt = signJwt(operator, operator, { type: 'operator', version: 2 });
  const accountJwt = signJwt(operator, account, { type: 'account', version: 2, limits: ACCOUNT_LIMITS });
  return {
    configuration: `operator: "${operatorJwt}"
resolver: MEMORY
resolver_preload: { ${account.getPublicKey()}: "${accountJwt}" }
`,
    /** The file of a new user; `exp` in seconds since 1970. */
    creds(exp?: number): string {
      const user = nkeys.createUser();
      const jwt = signJwt(account, user, { type: 'user', version: 2, ...USER_LIMITS }, exp);
      return block('NATS USER JWT', jwt) + block('USER NKEY SEED', Buffer.from(user.getSeed()).toString());
    },
  };
}
