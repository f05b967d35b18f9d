import { randomBytes } from 'node:crypto';
import { encryptedPost } from '../requests';
import { MAX_RESPONSE_BYTES, openFor, type HostileKind } from './hostile-kind';

const BODY_BYTES = 1_048_576;
const HEADER = Buffer.from('{"alg":"ECDH-ES","enc":"A256GCM"}').toString('base64url');

/** The largest body that the gateway accepts without asking whether the state exists. */
const SMALL_BYTES = 32_768;

const filled = (start: string, end = '', bytes = BODY_BYTES) =>
  `${start}${'A'.repeat(bytes - start.length - end.length)}${end}`;

const unknownState = (name: string, what: string, bytes: number): HostileKind => ({
  name,
  what: `a body of ${what} to a state that nobody made`,
  inShort: true,
  async prepare({ stack }) {
    const state = randomBytes(24).toString('base64url');
    const body = filled(`response=${HEADER}..AAAAAAAAAAAAAAAA.`, '.AAAAAAAAAAAAAAAAAAAAAA', bytes);
    return { post: { url: `${stack.baseUrl}/oidc4vp/${state}/response`, body }, state: undefined };
  },
});

const UNKNOWN = [
  unknownState('unknown-state', '1 MiB', BODY_BYTES),
  unknownState('unknown-state-small', '32 KiB', SMALL_BYTES),
];

const GARBAGE: HostileKind = {
  name: 'jwe-garbage',
  what: 'a JWE with the right key and the largest ciphertext, which decrypts to nothing',
  inShort: true,
  async prepare(world) {
    const request = await openFor(world);
    const { url, body } = encryptedPost(request, randomBytes(MAX_RESPONSE_BYTES));
    const [header, key, iv, , tag] = body.split('.');
    const ciphertext = randomBytes(MAX_RESPONSE_BYTES).toString('base64url');
    return { post: { url, body: [header, key, iv, ciphertext, tag].join('.') }, state: request.state };
  },
};

const NOT_JSON: HostileKind = {
  name: 'jwe-not-json',
  what: 'a JWE that decrypts to 768 KiB of quotes and brackets',
  inShort: false,
  async prepare(world) {
    const request = await openFor(world);
    return {
      post: encryptedPost(request, '["\\"'.repeat(Math.floor(MAX_RESPONSE_BYTES / 4))),
      state: request.state,
    };
  },
};

const ESCAPED_FORM: HostileKind = {
  name: 'form-escapes',
  what: 'a form of 1 MiB in which every character is escaped',
  inShort: false,
  async prepare(world) {
    const { state, responseUri } = await openFor(world);
    const body = `response=${'%41'.repeat(Math.floor((BODY_BYTES - 9) / 3))}`;
    return { post: { url: responseUri, body }, state };
  },
};

const PLAIN_ERROR: HostileKind = {
  name: 'error-plain',
  what: 'an error in the clear with a description of 1 MiB',
  inShort: false,
  async prepare(world) {
    const { state, responseUri } = await openFor(world);
    return {
      post: { url: responseUri, body: filled(`state=${state}&error=access_denied&error_description=`) },
      state,
    };
  },
};

/** Bodies that should be refused without effort. */
export const BODY_KINDS = [...UNKNOWN, GARBAGE, NOT_JSON, ESCAPED_FORM, PLAIN_ERROR];
