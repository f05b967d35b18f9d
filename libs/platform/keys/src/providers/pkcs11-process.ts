import { createHash } from 'node:crypto';

/*
 * The process that talks to a PKCS#11 library: such a library may hang, crash or keep a thread, and none of that may
 * happen to a service. It gets its orders as messages and ends with the process that started it.
 */

/** What the parent sends first. The PIN comes as a message, because arguments and the environment are visible to others. */
export interface Pkcs11Start {
  readonly module: string;
  readonly token: string;
  readonly object?: string | undefined;
  readonly id?: string | undefined;
  readonly pin: string;
  readonly sessions: number;
}

export interface Pkcs11Order {
  readonly order: number;
  readonly operation: 'sign' | 'unwrap' | 'public-key';
  readonly input: Uint8Array;
}

/** What the child answers; `failure` is the name of an error of the standard. */
export type Pkcs11Answer =
  | { readonly ready: true }
  | { readonly refused: string }
  | { readonly order: number; readonly output: Uint8Array }
  | { readonly order: number; readonly failure: string };

type Handle = Buffer;
interface Attribute {
  readonly type: number;
  readonly value?: Buffer | string | number | boolean;
}
type Template = Attribute[];

/** What this program uses of the package `pkcs11js`, which is optional and therefore has no types here. */
interface Library {
  load(file: string): void;
  C_Initialize(options: { readonly flags: number }): void;
  C_GetSlotList(tokenPresent: boolean): Handle[];
  C_GetTokenInfo(slot: Handle): { readonly label: string; readonly flags: number };
  C_OpenSession(slot: Handle, flags: number): Handle;
  C_Login(session: Handle, userType: number, pin: string): void;
  C_FindObjectsInit(session: Handle, template: Template): void;
  C_FindObjects(session: Handle, count: number): Handle[];
  C_FindObjectsFinal(session: Handle): void;
  C_GetAttributeValue(session: Handle, object: Handle, template: Template): { readonly value: Buffer }[];
  C_SignInit(session: Handle, mechanism: object, key: Handle): void;
  C_SignAsync(session: Handle, input: Buffer, output: Buffer): Promise<Buffer>;
  C_DecryptInit(session: Handle, mechanism: object, key: Handle): void;
  C_DecryptAsync(session: Handle, input: Buffer, output: Buffer): Promise<Buffer>;
}

interface Package {
  readonly PKCS11: new () => Library;
}

/* Numbers of PKCS#11 2.40 that are needed here. */
const CKF_OS_LOCKING_OK = 2;
const CKF_SERIAL_SESSION = 4;
const CKU_USER = 1;
const CKA_CLASS = 0;
const CKA_LABEL = 3;
const CKA_ID = 0x102;
const CKA_EC_POINT = 0x181;
const CKO_PUBLIC_KEY = 2;
const CKO_PRIVATE_KEY = 3;
const CKM_ECDSA = 0x1041;
const CKM_RSA_PKCS_OAEP = 9;
const CKM_SHA_1 = 0x220;
const CKG_MGF1_SHA1 = 1;
const CKZ_DATA_SPECIFIED = 1;
const CK_PARAMS_RSA_OAEP = 4;
/** CKF_USER_PIN_COUNT_LOW and CKF_USER_PIN_FINAL_TRY: wrong PINs came since the last right one, and the next one locks the token. */
const LAST_TRY = 0x10000 | 0x20000;

const SIGNATURE_BYTES = 64;
const MOST_BYTES = 1_024;

class Refusal extends Error {}

/** The name of an error of the standard, and nothing else: messages may quote what was given. */
function nameOf(error: unknown): string {
  const { message = '', name = 'Error' } = error as { message?: string; name?: string };
  return /CKR_[A-Z0-9_]+/.exec(message)?.[0] ?? name;
}

function loadPackage(): Package {
  try {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- only where a key in such a device is configured
    return require('pkcs11js') as Package;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') throw new Refusal('package_missing');
    throw error;
  }
}

class Token {
  readonly #sessions: Handle[] = [];
  readonly #waiting: ((session: Handle) => void)[] = [];
  readonly #library: Library;
  readonly #start: Pkcs11Start;
  #privateKey: Handle | undefined;

  constructor(start: Pkcs11Start) {
    const { PKCS11 } = loadPackage();
    this.#start = start;
    this.#library = new PKCS11();
    this.#library.load(start.module);
    // Calls run in several threads: without this, a library need not be prepared for that.
    this.#library.C_Initialize({ flags: CKF_OS_LOCKING_OK });
    const slot = this.#slot();
    // A service that is started again and again with a wrong PIN must not lock the token.
    if ((this.#library.C_GetTokenInfo(slot).flags & LAST_TRY) === LAST_TRY) throw new Refusal('pin_last_try');
    for (let count = 0; count < start.sessions; count += 1) {
      const session = this.#library.C_OpenSession(slot, CKF_SERIAL_SESSION);
      // The login counts for all sessions of a token.
      if (count === 0) this.#library.C_Login(session, CKU_USER, start.pin);
      this.#sessions.push(session);
    }
    this.#privateKey = this.#find(CKO_PRIVATE_KEY);
    if (!this.#privateKey) throw new Refusal('key_not_found');
  }

  #slot(): Handle {
    const slots = this.#library.C_GetSlotList(true);
    const slot = slots.find((one) => this.#library.C_GetTokenInfo(one).label.trim() === this.#start.token);
    if (slot) return slot;
    throw new Refusal('token_not_found');
  }

  #names(): Template {
    const { object, id } = this.#start;
    return [
      ...(object === undefined ? [] : [{ type: CKA_LABEL, value: object }]),
      ...(id === undefined ? [] : [{ type: CKA_ID, value: Buffer.from(id, 'hex') }]),
    ];
  }

  #find(kind: number, names = this.#names()): Handle | undefined {
    const [session] = this.#sessions;
    if (!session) return undefined;
    this.#library.C_FindObjectsInit(session, [{ type: CKA_CLASS, value: kind }, ...names]);
    const found = this.#library.C_FindObjects(session, 2);
    this.#library.C_FindObjectsFinal(session);
    if (found.length > 1) throw new Refusal('key_ambiguous');
    return found[0];
  }

  async #withSession(use: (session: Handle, key: Handle) => Promise<Buffer>): Promise<Buffer> {
    const key = this.#privateKey as Handle;
    const session = this.#sessions.pop() ?? (await new Promise<Handle>((resolve) => this.#waiting.push(resolve)));
    try {
      return await use(session, key);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(session);
      else this.#sessions.push(session);
    }
  }

  /** CKM_ECDSA over the digest, which every device knows: R and S. */
  sign(input: Uint8Array): Promise<Buffer> {
    const digest = createHash('sha256').update(input).digest();
    return this.#withSession((session, key) => {
      this.#library.C_SignInit(session, { mechanism: CKM_ECDSA, parameter: null }, key);
      return this.#library.C_SignAsync(session, digest, Buffer.alloc(SIGNATURE_BYTES * 2));
    });
  }

  /** RSA-OAEP with SHA-1 and MGF1, the form that every device knows. */
  unwrap(input: Uint8Array): Promise<Buffer> {
    const parameter = {
      type: CK_PARAMS_RSA_OAEP,
      hashAlg: CKM_SHA_1,
      mgf: CKG_MGF1_SHA1,
      source: CKZ_DATA_SPECIFIED,
      sourceData: null,
    };
    return this.#withSession((session, key) => {
      this.#library.C_DecryptInit(session, { mechanism: CKM_RSA_PKCS_OAEP, parameter }, key);
      return this.#library.C_DecryptAsync(session, Buffer.from(input), Buffer.alloc(MOST_BYTES));
    });
  }

  /** The public half has the label of the private one, or another label and the same id, as devices like to have it. */
  #publicKey(): Handle | undefined {
    const named = this.#find(CKO_PUBLIC_KEY);
    const [session] = this.#sessions;
    if (named || !session || !this.#privateKey) return named;
    const [id] = this.#library.C_GetAttributeValue(session, this.#privateKey, [{ type: CKA_ID }]);
    if (!id || id.value.byteLength === 0) return undefined;
    return this.#find(CKO_PUBLIC_KEY, [{ type: CKA_ID, value: id.value }]);
  }

  /** The uncompressed point, as an OCTET STRING or, by some devices, bare. */
  publicPoint(): Promise<Buffer> {
    const key = this.#publicKey();
    if (!key) return Promise.reject(new Refusal('public_key_not_found'));
    return this.#withSession((session) => {
      const [attribute] = this.#library.C_GetAttributeValue(session, key, [{ type: CKA_EC_POINT }]);
      return Promise.resolve(attribute?.value ?? Buffer.alloc(0));
    });
  }
}

const tell = (answer: Pkcs11Answer) => void process.send?.(answer);

async function obey(token: Token, { order, operation, input }: Pkcs11Order): Promise<void> {
  try {
    const doing = {
      sign: () => token.sign(input),
      unwrap: () => token.unwrap(input),
      'public-key': () => token.publicPoint(),
    };
    tell({ order, output: await doing[operation]() });
  } catch (error) {
    tell({ order, failure: error instanceof Refusal ? error.message : nameOf(error) });
  }
}

let token: Token | undefined;

process.on('message', (message: Pkcs11Start | Pkcs11Order) => {
  if ('order' in message) return void (token && obey(token, message));
  try {
    token = new Token(message);
    tell({ ready: true });
  } catch (error) {
    tell({ refused: error instanceof Refusal ? error.message : nameOf(error) });
  }
});
// Not by an exit, which waits for threads: a call that hangs would keep this process, and its sessions, for good.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// Signals to the group reach this process, too: it stays until its parent, which may still have something to sign, is done.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
