import type { JsonObject } from '@vestibule/foundation';
import { createHolder, digestOf, disclosureOf, makeCredential, type Credential } from '../handmade-credential';
import { encryptedPost } from '../requests';
import { OPEN_TYPE, type World } from '../world';
import {
  answerWith,
  asManyAsFit,
  filled,
  MAX_CLAIMS_BYTES,
  MAX_PRESENTATIONS,
  MAX_RESPONSE_BYTES,
  openFor,
  upTo,
  type HostileKind,
} from './hostile-kind';

/** A kind whose single credential has these claims, as JSON without braces. */
function ofClaims(name: string, what: string, inShort: boolean, rawClaims: () => string): HostileKind {
  const prepare: HostileKind['prepare'] = (world) => {
    const { stranger: issuer, holder } = world;
    return answerWith(world, [makeCredential({ issuer, holder, vct: OPEN_TYPE, rawClaims: rawClaims() })]);
  };
  return { name, what, inShort, prepare };
}

const repeated = (text: string, bytes: number) => filled(bytes, () => text);
const shortName = (index: number) => index.toString(36).padStart(4, '_');
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const LEVELS_LEFT_FOR_CLAIMS = 30;

const JSON_KINDS: readonly HostileKind[] = [
  ofClaims(
    'json-members',
    'a credential with as many members as fit',
    true,
    () => `"o":{${filled(MAX_CLAIMS_BYTES, (index) => `"${shortName(index)}":0`)}}`,
  ),
  ofClaims(
    'json-objects',
    'a credential with as many objects as fit',
    false,
    () => `"o":[${repeated('{}', MAX_CLAIMS_BYTES)}]`,
  ),
  ofClaims(
    'json-arrays',
    'a credential with as many arrays as fit',
    true,
    () => `"o":[${repeated('[]', MAX_CLAIMS_BYTES)}]`,
  ),
  ofClaims(
    'json-numbers',
    'a credential with as many numbers as fit',
    false,
    () => `"o":[${repeated('0', MAX_CLAIMS_BYTES)}]`,
  ),
  ofClaims(
    'json-deep',
    'a credential that nests as deep as is allowed, as often as fits',
    true,
    () => `"o":[${repeated(nested(LEVELS_LEFT_FOR_CLAIMS), MAX_CLAIMS_BYTES)}]`,
  ),
  ofClaims('json-digits', 'a credential with one number of 585,000 digits', false, () => {
    return `"o":${'7'.repeat(MAX_CLAIMS_BYTES)}`;
  }),
  ofClaims('json-escapes', 'a credential with one text of nothing but escapes', false, () => {
    return `"o":"${'\\u0001'.repeat(Math.floor(MAX_CLAIMS_BYTES / 6))}"`;
  }),
  ofClaims(
    'json-indexes',
    'a credential with as many members as fit, named by numbers',
    false,
    () => `"o":{${filled(MAX_CLAIMS_BYTES, (index) => `"${(index * 65_536) % 4_294_967_291}":0`)}}`,
  ),
];

const response = (name: string, what: string, inShort: boolean, content: (state: string) => string): HostileKind => ({
  name,
  what,
  inShort,
  async prepare(world) {
    const request = await openFor(world);
    return { post: encryptedPost(request, content(request.state)), state: request.state };
  },
});

const RESPONSE_KINDS: readonly HostileKind[] = [
  response('response-members', 'a response with as many members as fit', false, (state) => {
    const names = filled(MAX_RESPONSE_BYTES - 200, (index) => `"${shortName(index)}":0`);
    return `{"state":"${state}","vp_token":{"card":["x"]},${names}}`;
  }),
  response('response-deep', 'a response that nests as deep as is allowed, as often as fits', false, (state) => {
    return `{"state":"${state}","vp_token":{"card":["x"]},"o":[${repeated(nested(14), MAX_RESPONSE_BYTES - 300)}]}`;
  }),
];

/** As many disclosures as fit into one of 64 presentations. */
const DISCLOSURES_OF_64 = 105;

function withDisclosures({ stranger: issuer }: World, count: number): Credential {
  const disclosures = upTo(count, (index) => disclosureOf(`d${index}`, 0));
  const claims = { _sd_alg: 'sha-256', _sd: disclosures.map(digestOf) };
  return makeCredential({ issuer, holder: createHolder(), vct: OPEN_TYPE, claims, disclosures });
}

/** Nested disclosures, as deep as allowed: the innermost first, each with its digest in the next. */
function nestedDisclosures(depth: number): { outermost: string; all: string[] } {
  const all = [disclosureOf('n', 0)];
  for (let level = 1; level < depth; level += 1) all.push(disclosureOf('n', { _sd: [digestOf(all.at(-1) as string)] }));
  return { outermost: digestOf(all.at(-1) as string), all };
}

function withNesting({ stranger: issuer, holder }: World): Credential {
  const lines = upTo(16, () => nestedDisclosures(LEVELS_LEFT_FOR_CLAIMS));
  const o = lines.map(({ outermost }) => ({ _sd: [outermost] }));
  const disclosures = lines.flatMap(({ all }) => all);
  return makeCredential({ issuer, holder, vct: OPEN_TYPE, claims: { o }, disclosures });
}

const DISCLOSURE_KINDS: readonly HostileKind[] = [
  {
    name: 'disclosures-many',
    what: `64 presentations, each by its own holder and with ${DISCLOSURES_OF_64} disclosures`,
    inShort: true,
    prepare: (world) =>
      answerWith(
        world,
        asManyAsFit(() => withDisclosures(world, DISCLOSURES_OF_64)),
      ),
  },
  {
    name: 'disclosures-nested',
    what: 'as many presentations as fit, of 480 disclosures that nest as deep as is allowed',
    inShort: false,
    prepare: (world) =>
      answerWith(
        world,
        asManyAsFit(() => withNesting(world)),
      ),
  },
  ofClaims(
    'digests-decoy',
    'a credential with as many digests that belong to nothing as fit',
    false,
    () => `"_sd":[${filled(MAX_CLAIMS_BYTES, (index) => `"${shortName(index)}"`)}]`,
  ),
];

const HOLDERS: HostileKind = {
  name: 'holder-keys',
  what: '64 presentations, each by its own holder; nothing else is wrong with them',
  inShort: false,
  prepare: (world) =>
    answerWith(
      world,
      upTo(MAX_PRESENTATIONS, () =>
        makeCredential({
          issuer: world.stranger,
          holder: createHolder(),
          vct: OPEN_TYPE,
          claims: { family_name: 'X' },
        }),
      ),
    ),
};

/** Twenty objects with the maximum total size of a request. */
const transactionData: readonly JsonObject[] = upTo(20, (index) => ({
  type: 'urn:example:payment',
  credential_ids: ['card'],
  payload: `${index}`.padEnd(9_000, 'x'),
}));

const TRANSACTION_HASHES: HostileKind = {
  name: 'transaction-hashes',
  what: 'one presentation that confirms 20 objects of transaction data and 50,000 that nobody asked about',
  inShort: false,
  prepare: (world) => {
    const { stranger: issuer, holder } = world;
    const hashes = upTo(50_000, (index) => index.toString(36));
    return answerWith(world, [makeCredential({ issuer, holder, vct: OPEN_TYPE })], {
      ask: { transaction_data: [...transactionData] },
      bindingClaims: { transaction_data_hashes: hashes },
    });
  },
};

/** Hostile content of a credential, its disclosures and its key binding. */
export const CONTENT_KINDS = [...JSON_KINDS, ...RESPONSE_KINDS, ...DISCLOSURE_KINDS, HOLDERS, TRANSACTION_HASHES];
