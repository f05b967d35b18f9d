import { createEgress, type EgressFailureCode, type EgressResponse } from '@vestibule/egress';
import { ProcessingFailure, VerificationFailure } from '@vestibule/foundation';
import type { IssuerKey } from '@vestibule/sd-jwt-vc';
import {
  fakeEgress,
  ISSUER,
  jsonAnswer,
  metadataOf,
  publishedJwk,
  publishedKeys,
} from '../../testing/published-issuer.fixture-spec';
import { at, createWorld, failsWith, NOW, type World } from '../../testing/verifier.fixture-spec';
import { IssuerMetadataDocuments } from './issuer-metadata';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

const WELL_KNOWN = `${ISSUER}/.well-known/jwt-vc-issuer`;
const SET = 'https://keys.example/set';
const unavailable = (code: EgressFailureCode) => new ProcessingFailure(code, 'not to be had');

function open(respond: (url: string) => EgressResponse | Promise<EgressResponse>) {
  const { egress, fetches } = fakeEgress(respond);
  const time = { now: NOW };
  const documents = new IssuerMetadataDocuments({ egress, clock: () => time.now });
  return { documents, fetches, time, urls: () => fetches.map(({ url }) => url) };
}

describe('a key that the metadata in memory does not name', () => {
  const metadataWith = (...kids: readonly string[]) => ({
    issuer: ISSUER,
    jwks: { keys: kids.map((kid) => ({ ...publishedJwk(world), kid })) },
  });
  const kidsOf = (keys: readonly IssuerKey[]) => keys.map(({ kid }) => kid);

  /** Keys `k1` in memory since half a minute; then the host publishes what it is told. */
  async function openRotated(respond: () => EgressResponse | Promise<EgressResponse>) {
    let answer: typeof respond = () => jsonAnswer(metadataWith('k1'));
    const opened = open(() => answer());
    await opened.documents.getKeys(ISSUER, ['k1']);
    answer = respond;
    opened.time.now = at(30);
    return opened;
  }

  it('VP:L9 has the issuer asked again at once, by all who wait for it together', async () => {
    const { documents, fetches } = await openRotated(() => jsonAnswer(metadataWith('k1', 'k2')));
    const found = await Promise.all(Array.from({ length: 20 }, () => documents.getKeys(ISSUER, ['k2'])));
    expect(found.map(kidsOf)).toEqual(found.map(() => ['k1', 'k2']));
    expect(fetches).toHaveLength(2);
    expect(kidsOf(await documents.getKeys(ISSUER, ['k1', 'k2']))).toEqual(['k1', 'k2']);
    expect(fetches).toHaveLength(2);
  });

  it('VP:L9 VP:Q13 has it asked once in half a minute, however many names are invented', async () => {
    const { documents, fetches, time } = await openRotated(() => jsonAnswer(metadataWith('k1')));
    for (const kid of ['a', 'b', 'c']) expect(kidsOf(await documents.getKeys(ISSUER, [kid]))).toEqual(['k1']);
    expect(fetches).toHaveLength(2);
    time.now = at(59);
    await documents.getKeys(ISSUER, ['d']);
    expect(fetches).toHaveLength(2);
    time.now = at(60);
    await documents.getKeys(ISSUER, ['d']);
    expect(fetches).toHaveLength(3);
  });

  it('VP:L9 has nobody asked again right after the first time', async () => {
    const { documents, fetches } = open(() => jsonAnswer(metadataWith('k1')));
    await documents.getKeys(ISSUER, ['k2']);
    await documents.getKeys(ISSUER, ['k2']);
    expect(fetches).toHaveLength(1);
  });

  it('VP:L9 VP:O17 leaves the keys that are known, for no longer than before, where the issuer cannot be asked', async () => {
    const { documents, fetches, time } = await openRotated(() => Promise.reject(unavailable('egress_timeout')));
    await expect(documents.getKeys(ISSUER, ['k2'])).rejects.toEqual(failsWith('egress_timeout'));
    expect(kidsOf(await documents.getKeys(ISSUER, ['k1']))).toEqual(['k1']);
    expect(fetches).toHaveLength(2);
    time.now = at(300);
    await expect(documents.getKeys(ISSUER, ['k1'])).rejects.toEqual(failsWith('egress_timeout'));
  });

  it('VP:L9 is not said to be missing until the issuer could be asked again', async () => {
    let isAway = true;
    const { documents, fetches, time } = await openRotated(() =>
      isAway ? Promise.reject(unavailable('egress_failed')) : jsonAnswer(metadataWith('k1')),
    );
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(documents.getKeys(ISSUER, ['k2'])).rejects.toEqual(failsWith('egress_failed'));
    expect(fetches).toHaveLength(2);
    isAway = false;
    time.now = at(60);
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(kidsOf(await documents.getKeys(ISSUER, ['k2']))).toEqual(['k1']);
    expect(fetches).toHaveLength(3);
  });

  it('VP:L9 is missing where what the issuer publishes by now is no metadata', async () => {
    const { documents } = await openRotated(() => jsonAnswer({ issuer: ISSUER }));
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(kidsOf(await documents.getKeys(ISSUER, ['k2']))).toEqual(['k1']);
  });

  it('VP:L9 ends the keys that the issuer has withdrawn', async () => {
    const { documents } = await openRotated(() => jsonAnswer(metadataWith('k2')));
    expect(kidsOf(await documents.getKeys(ISSUER, ['k2']))).toEqual(['k2']);
    expect(kidsOf(await documents.getKeys(ISSUER, []))).toEqual(['k2']);
  });

  it('VP:L9 does not keep an issuer from being asked when the clock was set back', async () => {
    const { documents, time } = await openRotated(() => jsonAnswer(metadataWith('k2')));
    time.now = at(-3_600);
    expect(kidsOf(await documents.getKeys(ISSUER, ['k2']))).toEqual(['k2']);
  });
});

describe('the metadata of an issuer', () => {
  it('VP:L9 VP:Q5 is fetched from its well-known address, bounded and without redirects', async () => {
    const { documents, fetches } = open(() => jsonAnswer(metadataOf(world)));
    expect(await documents.getKeys(ISSUER)).toEqual(publishedKeys(world));
    expect(fetches).toEqual([
      {
        url: WELL_KNOWN,
        options: {
          purpose: 'issuer-metadata',
          accept: 'application/json',
          maxBytes: 65_536,
          timeoutMilliseconds: 4_000,
          maxRedirects: 0,
        },
      },
    ]);
  });

  it.each(['application/jwk-set+json', 'application/json; charset=utf-8'])(
    'VP:L9 may refer to a key set elsewhere, served as %s',
    async (contentType) => {
      const set = { keys: [{ ...publishedJwk(world), kid: 'k1' }] };
      const { documents, urls } = open((url) =>
        url === SET ? jsonAnswer(set, { contentType }) : jsonAnswer({ issuer: ISSUER, jwks_uri: SET }),
      );
      expect(await documents.getKeys(ISSUER)).toEqual(publishedKeys(world));
      expect(urls()).toEqual([WELL_KNOWN, SET]);
    },
  );

  it('VP:L9 is fetched once for callers at the same time, and anew after five minutes', async () => {
    const { documents, fetches, time } = open(() => jsonAnswer(metadataOf(world)));
    await Promise.all(Array.from({ length: 20 }, () => documents.getKeys(ISSUER)));
    time.now = at(299);
    await documents.getKeys(ISSUER);
    expect(fetches).toHaveLength(1);
    time.now = at(300);
    await documents.getKeys(ISSUER);
    expect(fetches).toHaveLength(2);
  });

  it('VP:L9 of another issuer is not used, and not remembered', async () => {
    const documentsInTurn = [{ ...metadataOf(world), issuer: 'https://other.example' }, metadataOf(world)];
    const { documents } = open(() => jsonAnswer(documentsInTurn.shift() ?? {}));
    const error: unknown = await documents.getKeys(ISSUER).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(VerificationFailure);
    expect(error).toEqual(failsWith('issuer_metadata_mismatch'));
    expect(await documents.getKeys(ISSUER)).toEqual(publishedKeys(world));
  });

  it.each<[string, () => EgressResponse | Promise<EgressResponse>, string]>([
    ['does not answer', () => Promise.reject(unavailable('egress_timeout')), 'egress_timeout'],
    ['redirects', () => Promise.reject(unavailable('egress_redirects')), 'egress_redirects'],
    ['has none', () => jsonAnswer({}, { status: 404 }), 'egress_status'],
    ['serves a page', () => jsonAnswer({}, { contentType: 'text/html' }), 'egress_content_type'],
  ])('VP:L9 cannot be had where the host %s', async (_title, respond, code) => {
    const error: unknown = await open(respond)
      .documents.getKeys(ISSUER)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProcessingFailure);
    expect(error).toEqual(failsWith(code));
  });

  it('VP:L9 does not lead to any address for an issuer without an address', async () => {
    const { documents, fetches } = open(() => jsonAnswer(metadataOf(world)));
    await expect(documents.getKeys('http://issuer.example')).rejects.toEqual(
      failsWith('issuer_identifier_not_allowed'),
    );
    expect(fetches).toEqual([]);
  });

  it.each(['https://127.0.0.1', 'https://[::1]', 'https://10.0.0.1', 'https://localhost'])(
    'VP:Q5 is not fetched from %s by the real egress',
    async (iss) => {
      const egress = createEgress({ allowDevelopmentHosts: [] });
      const documents = new IssuerMetadataDocuments({ egress, clock: () => NOW });
      await expect(documents.getKeys(iss)).rejects.toEqual(failsWith('egress_refused_address'));
      await egress.close();
    },
  );
});
