import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@vestibule/foundation';
import { encodeBase58 } from './base58';
import { canonicalize } from './canonicalize';
import { CONTEXT_LIMITS, resolveContexts, type KnownContexts } from './contexts';
import { createDidKey, verificationMethodOf } from './did-key';
import { CREDENTIALS_V2 } from './documents';
import { signCredential, signPresentation } from './sign-documents';
import { noStatusLists } from './testing/knowing.fixture-spec';
import { verifyCredential, verifyPresentation } from './verify-documents';

const code = (expected: string) => expect.objectContaining({ code: expected });
const now = new Date('2026-03-01T12:00:00Z');
const key = createDidKey(randomBytes);
const binding = { challenge: 'a-challenge' };

const addressOf = (index: number) => `https://store.example/schemas/a/s${index}/1/context`;

/** As large as that of a published schema can be: 512 terms with long names. */
function contextOf(url: string): JsonObject {
  const names = Array.from({ length: 512 }, (_, index) => `n${index}`.padEnd(64, 'x'));
  return { '@context': Object.fromEntries(names.map((name) => [name, { '@id': `${url}#${name}` }])) };
}

/** A store in which whoever publishes schemas has made many of them. */
function knowing(make = contextOf) {
  const asked: string[] = [];
  const contexts: KnownContexts = {
    find: async (url) => (asked.push(url), make(url)),
    isOwn: () => false,
    findTexts: () => Promise.resolve([]),
  };
  const canonicalized: number[] = [];
  const counting = async (request: { contexts: ReadonlyMap<string, JsonObject> }) => {
    canonicalized.push(JSON.stringify([...request.contexts]).length);
    return canonicalize(request as never);
  };
  return {
    asked,
    canonicalized,
    options: { contexts, canonicalize: counting as never, now, skewSeconds: 60, statusLists: noStatusLists },
  };
}

const proof = (proofPurpose: string): JsonObject => ({
  type: 'DataIntegrityProof',
  cryptosuite: 'ecdsa-rdfc-2019',
  proofPurpose,
  verificationMethod: verificationMethodOf(key.did),
  proofValue: `z${encodeBase58(Buffer.alloc(64, 1))}`,
});
const credential = (first: number, count: number): JsonObject => ({
  '@context': [CREDENTIALS_V2, ...Array.from({ length: count }, (_, index) => addressOf(first + index))],
  type: ['VerifiableCredential'],
  issuer: key.did,
  credentialSubject: { id: 'did:example:a' },
});
const presentation = (credentials: number): JsonObject => ({
  '@context': [CREDENTIALS_V2],
  type: ['VerifiablePresentation'],
  holder: key.did,
  verifiableCredential: Array.from({ length: credentials }, (_, index) => ({
    ...credential(index * 31, 31),
    proof: proof('assertionMethod'),
  })),
});

type Options = ReturnType<typeof knowing>['options'];
const WAYS: [string, (options: Options) => Promise<unknown>][] = [
  [
    'a presentation that is verified',
    (options) => verifyPresentation({ ...presentation(8), proof: proof('authentication') }, binding, options),
  ],
  [
    'a credential that is verified',
    (options) => verifyCredential({ ...credential(0, 31), proof: proof('assertionMethod') }, options),
  ],
  ['a credential that is signed', (options) => signCredential(credential(0, 31), { ...options, signer: key })],
  [
    'a presentation that is signed',
    (options) => signPresentation(presentation(8), binding, { ...options, signer: key }),
  ],
];

describe('the contexts that a document leads to', () => {
  it.each(WAYS)('are bounded together, before anybody carries them about: %s', async (_what, work) => {
    const { asked, canonicalized, options } = knowing();
    await expect(work(options)).rejects.toEqual(code('vc_too_complex'));
    expect(canonicalized).toEqual([]);
    const length = JSON.stringify(contextOf(addressOf(0))).length;
    expect((asked.length - 1) * length).toBeLessThanOrEqual(CONTEXT_LIMITS.maxLength);
  });

  it('are bounded where one leads to the others, too', async () => {
    const { asked, options } = knowing((url) => {
      const [, number = ''] = /s(\d+)/.exec(url) ?? [];
      return { '@context': [addressOf(Number(number) + 1), contextOf(url)['@context'] as JsonObject] };
    });
    await expect(resolveContexts({ credentials: [credential(0, 1)] }, options.contexts)).rejects.toEqual(
      code('vc_too_complex'),
    );
    expect(asked.length).toBeLessThan(64);
  });

  it('may be as long as the bound, and one that is named often counts once', async () => {
    const url = addressOf(1);
    const frame = JSON.stringify({ '@context': { a: '' } }).length;
    const make = (length: number) => () => ({ '@context': { a: 'x'.repeat(length - frame) } });
    const twice = { credentials: [credential(1, 1), credential(1, 1)] };
    const resolve = (length: number) => resolveContexts(twice, knowing(make(length)).options.contexts);
    expect([...(await resolve(CONTEXT_LIMITS.maxLength)).keys()]).toEqual([url]);
    await expect(resolve(CONTEXT_LIMITS.maxLength + 1)).rejects.toEqual(code('vc_too_complex'));
  });
});
