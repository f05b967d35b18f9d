import type { JsonObject } from '@vestibule/foundation';
import { makeCredential, type Credential } from '../handmade-credential';
import { createRequest, fetchRequest, encryptedPost } from '../requests';
import { bindCredential } from '../handmade-credential';
import { OPEN_TYPE, type World } from '../world';
import { answerWith, MAX_CLAIMS_BYTES, MAX_PRESENTATIONS, upTo, type HostileKind } from './hostile-kind';

const PATHS = 512;
const ELEMENTS = 180_000;

const credentialOf = ({ stranger: issuer, holder }: World, rawClaims: string): Credential =>
  makeCredential({ issuer, holder, vct: OPEN_TYPE, rawClaims });

const memberPaths = upTo(PATHS, (index) => ({ path: ['a', null, `m${index}`] }));
const members = JSON.stringify(Object.fromEntries(upTo(PATHS, (index) => [`m${index}`, 0])));

const MISSING: HostileKind = {
  name: 'paths-missing',
  what: '["a", null, "m"] asked 512 times over an array of 180,000 elements, none of which has it',
  inShort: true,
  prepare: (world) =>
    answerWith(world, [credentialOf(world, `"a":[${upTo(ELEMENTS, () => '{}').join()}]`)], {
      query: { claims: memberPaths },
    }),
};

const PRESENT: HostileKind = {
  name: 'paths-present',
  what: '["a", null, "m"] asked 512 times over an array of 180,000 elements, the last of which has them all',
  inShort: true,
  prepare: (world) =>
    answerWith(world, [credentialOf(world, `"a":[${upTo(ELEMENTS, () => '{}').join()},${members}]`)], {
      query: { claims: memberPaths },
    }),
};

const ALTERNATIVES: HostileKind = {
  name: 'paths-claim-sets',
  what: '512 such paths as 512 alternatives, of which only the last one is there',
  inShort: false,
  prepare: (world) => {
    const last = `{"m${PATHS - 1}":0}`;
    const claims = memberPaths.map(({ path }, index) => ({ id: `c${index}`, path }));
    return answerWith(world, [credentialOf(world, `"a":[${upTo(ELEMENTS, () => '{}').join()},${last}]`)], {
      query: { claims, claim_sets: claims.map(({ id }) => [id]) },
    });
  },
};

const OF_MANY: HostileKind = {
  name: 'paths-of-64',
  what: '512 paths over 64 presentations that have them all',
  inShort: false,
  prepare: (world) => {
    const claims = upTo(PATHS, (index) => ({ path: [`m${index}`], values: [0, 1, 2, 3, 4, 5, 6, 7] }));
    const credential = credentialOf(world, members.slice(1, -1));
    return answerWith(
      world,
      upTo(MAX_PRESENTATIONS, () => credential),
      { query: { claims } },
    );
  },
};

const VALUES: HostileKind = {
  name: 'paths-values',
  what: 'a path over 290,000 elements, none of which has one of 500 values, for each of 16 members',
  inShort: false,
  prepare: (world) => {
    const perMember = Math.floor(MAX_CLAIMS_BYTES / 16 / 2) - 10;
    const claims = upTo(16, (index) => ({ path: [`a${index}`, null], values: upTo(500, (value) => value + 10) }));
    const raw = upTo(16, (index) => `"a${index}":[${upTo(perMember, () => (index === 15 ? 9 : 9)).join()}]`).join();
    return answerWith(world, [credentialOf(world, raw)], { query: { claims } });
  },
};

const CREDENTIALS = 32;

/** The largest accepted query, in which each alternative except the last lacks one credential. */
function largeQuery(): JsonObject {
  const ids = upTo(CREDENTIALS, (index) => `c${index}`);
  const credentials = ids.map((id) => ({ id, format: 'dc+sd-jwt', meta: { vct_values: [OPEN_TYPE] }, multiple: true }));
  const options = [...upTo(280, () => [...ids]), ids.slice(1)];
  return { credentials, credential_sets: [{ options }] };
}

const SETS: HostileKind = {
  name: 'credential-sets',
  what: 'a query of nearly 10,000 values in its credential_sets, of which only the last alternative is there',
  inShort: false,
  async prepare(world) {
    const request = await fetchRequest(await createRequest(world.stack, { dcql_query: largeQuery() }));
    const credential = credentialOf(world, '"a":1');
    const binding = { audience: request.clientId, nonce: request.nonce };
    const presentation = bindCredential(credential, binding);
    const ids = upTo(CREDENTIALS - 1, (index) => `c${index + 1}`);
    const vpToken = Object.fromEntries(ids.map((id) => [id, [presentation, presentation]]));
    const post = encryptedPost(request, JSON.stringify({ state: request.state, vp_token: vpToken }));
    return { post, state: request.state };
  },
};

/** Queries of a benign backend, and credentials that make them expensive. */
export const CLAIM_KINDS = [MISSING, PRESENT, ALTERNATIVES, OF_MANY, VALUES, SETS];
