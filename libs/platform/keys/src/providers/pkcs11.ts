import { fork, type ChildProcess } from 'node:child_process';
import { createPublicKey, type KeyObject } from 'node:crypto';
import path from 'node:path';
import { DomainError } from '@vestibule/foundation';
import type { Described } from '../description';
import { LastingFailure, UnusableAnswer, type RemoteKey } from '../device';
import { readSecretFile } from '../secret-files';
import { publicKeyOf, rawOf } from './answers';
import type { Pkcs11Answer, Pkcs11Order, Pkcs11Start } from './pkcs11-process';

const PROGRAM = path.join(__dirname, 'pkcs11-process.js');
const SIGNATURE_BYTES = 64;
/** The uncompressed point of a key on P-256. */
const POINT_BYTES = 65;
const UNCOMPRESSED = 0x04;
/** A token locks itself after a few wrong PINs: the same one is never sent twice. */
const PIN_REFUSED: ReadonlySet<string> = new Set(['CKR_PIN_INCORRECT', 'CKR_PIN_LOCKED', 'CKR_PIN_EXPIRED']);

interface Waiting {
  readonly resolve: (output: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

const failure = (name: string) => new UnusableAnswer(`the PKCS#11 device failed with ${name}`);

function packageMissing(): DomainError {
  const detail = 'the package pkcs11js is not installed, and a key description has the provider pkcs11';
  return new DomainError({ kind: 'internal', code: 'key_package_missing', detail });
}

function pinLastTry(): DomainError {
  const detail = 'wrong PINs were sent to the PKCS#11 token, and the next one would lock it';
  return new DomainError({ kind: 'internal', code: 'key_pin_last_try', detail });
}

/** Why a process cannot use its device. */
function refusalOf(name: string): Error {
  if (name === 'package_missing') return packageMissing();
  return name === 'pin_last_try' ? pinLastTry() : failure(name);
}

/** One run of the process that has the device open; a run that failed is replaced by the next call. */
class Run {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ready: Promise<void>;
  #fail: (error: Error) => void = () => undefined;
  #orders = 0;
  #hasEnded = false;

  constructor(start: Pkcs11Start, program: string, onPinRefused: () => void) {
    this.#child = fork(program, [], { serialization: 'advanced', stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#ready = new Promise((resolve, reject) => {
      this.#fail = reject;
      this.#child.on('message', (answer: Pkcs11Answer) => {
        if ('ready' in answer) return resolve();
        if (!('refused' in answer)) return this.#settle(answer);
        if (PIN_REFUSED.has(answer.refused)) onPinRefused();
        reject(refusalOf(answer.refused));
        this.end(answer.refused);
      });
      // Each message to a process that has just died is an error of its own; one without a listener would end the service.
      this.#child.on('error', () => this.end('no process'));
      this.#child.once('exit', () => this.end('the end of its process'));
    });
    // Each caller that asks is told.
    this.#ready.catch(() => undefined);
    this.#child.send(start);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  async ask(operation: Pkcs11Order['operation'], input: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    // A call that hangs keeps its thread: only the end of the process frees it.
    const giveUp = () => this.end('no answer in time');
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await this.#ready;
      signal.throwIfAborted();
      this.#orders += 1;
      const order = this.#orders;
      return await new Promise<Uint8Array>((resolve, reject) => {
        this.#waiting.set(order, { resolve, reject });
        if (this.#hasEnded) return this.#settle({ order, failure: 'the end of its process' });
        this.#child.send({ order, operation, input } satisfies Pkcs11Order);
      });
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  #settle(answer: Exclude<Pkcs11Answer, { ready: true } | { refused: string }>): void {
    const waiting = this.#waiting.get(answer.order);
    this.#waiting.delete(answer.order);
    if ('output' in answer) return waiting?.resolve(answer.output);
    waiting?.reject(failure(answer.failure));
    // Sessions and logins do not survive most failures of a device: the next call begins again.
    this.end(answer.failure);
  }

  /** Callers do not wait for the end of the process: one whose driver hangs in the kernel outlasts every signal. */
  end(reason: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#child.kill('SIGKILL');
    this.#fail(failure(reason));
    for (const { reject } of this.#waiting.values()) reject(failure(reason));
    this.#waiting.clear();
  }
}

/** SubjectPublicKeyInfo of a point on P-256, without the point. */
const SPKI_HEAD = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');

function keyOfPoint(attribute: Uint8Array): KeyObject {
  const bytes = Buffer.from(attribute);
  const point = bytes.byteLength === POINT_BYTES ? bytes : bytes.subarray(-POINT_BYTES);
  if (point.byteLength !== POINT_BYTES || point[0] !== UNCOMPRESSED)
    throw new UnusableAnswer('the key in the PKCS#11 device is not on P-256');
  return publicKeyOf(() => createPublicKey({ key: Buffer.concat([SPKI_HEAD, point]), format: 'der', type: 'spki' }));
}

/**
 * A key in a device with a PKCS#11 library (an HSM, a smart card, SoftHSM). The library runs in a process of its own,
 * which is replaced when it fails or hangs. A PIN that was refused is not sent again until the file has another one.
 */
export function openPkcs11Key(described: Described<'pkcs11'>, program = PROGRAM): RemoteKey {
  const { module, token, object, id, pinFile, concurrency: sessions } = described;
  let run: Run | undefined;
  let refusedPin: string | undefined;

  function current(): Run {
    if (run && !run.hasEnded) return run;
    const pin = readSecretFile(pinFile);
    if (pin === refusedPin) throw new LastingFailure('the PKCS#11 device refused this PIN');
    run = new Run({ module, token, object, id, pin, sessions }, program, () => void (refusedPin = pin));
    return run;
  }

  async function ask(...[operation, input, signal]: Parameters<Run['ask']>): Promise<Uint8Array> {
    // No process is started for a call whose time is over.
    signal.throwIfAborted();
    return current().ask(operation, input, signal);
  }

  return {
    async sign(input, signal) {
      const signature = await ask('sign', input, signal);
      // The standard says R and S; some devices answer DER.
      return signature.byteLength === SIGNATURE_BYTES ? signature : rawOf(signature);
    },
    readPublicKey: async (signal) => keyOfPoint(await ask('public-key', Buffer.alloc(0), signal)),
    unwrap: (wrapped, signal) => ask('unwrap', wrapped, signal),
    close() {
      run?.end('the end of the service');
      return Promise.resolve();
    },
  };
}
