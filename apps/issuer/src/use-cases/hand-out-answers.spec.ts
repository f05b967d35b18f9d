import { randomBytes } from 'node:crypto';
import { sha256 } from '@vestibule/crypto';
import { requestEncryptionKeys, type ResponseEncryption } from '@vestibule/oid4vci';
import { readHandOver } from '../domain/hand-over';
import type { Completion } from '../domain/issuance';
import {
  divide,
  failsWith,
  HAND_OVER_KEY,
  OFFER_ID,
  openForHolders,
  REDELIVERY_SECONDS,
  REQUEST_ENCRYPTION_SECRET,
  TOKEN,
  type EndpointOptions,
  type OpenEndpoint,
} from '../testing/credential-endpoint.fixture-spec';
import { ISSUER_URL, NOW } from '../testing/issuer.fixture-spec';
import { issuingOver } from '../testing/running-issuer.fixture-spec';
import { credentialProof } from '../testing/wallet.fixture-spec';
import { encryptAnswer, handOut } from './answer-credential';

let open: OpenEndpoint;
beforeAll(async () => {
  ({ open } = await openForHolders(1));
});

const FIRST = { offerId: OFFER_ID, isRepeated: false };
const AGAIN = { offerId: OFFER_ID, isRepeated: true };
const readName = (name = '') => readHandOver(name, [HAND_OVER_KEY]);

/** An endpoint that writes down what it commits. */
function recording({ deps = {}, grant = {} }: EndpointOptions = {}) {
  const completions: Completion[] = [];
  const complete = async (completion: Completion) => {
    completions.push(completion);
    return 'issued' as const;
  };
  const endpoint = open({ deps: { complete, ...deps }, grant });
  const ask = async (reportsHandOver: boolean | undefined) =>
    endpoint.issue({ ...(await endpoint.request()), reportsHandOver });
  async function askLater(reportsHandOver?: boolean) {
    const dpop = [
      await credentialProof(endpoint.dpopKey, TOKEN, { htu: `${ISSUER_URL}/oidc4vci/deferred_credential` }),
    ];
    const message = { authorization: [`DPoP ${TOKEN}`], dpop, body: { transaction_id: 'the-id' }, reportsHandOver };
    return issuingOver(endpoint.deps).issueDeferredCredential(message);
  }
  const holds = () => completions.map(({ holdSeconds }) => holdSeconds);
  return { ...endpoint, ask, askLater, completions, holds };
}
const promised = (endpoint: ReturnType<OpenEndpoint>) => {
  const { x, y } = endpoint.holder.jwk;
  return { digest: sha256('the-id'), keys: [{ kty: 'EC', crv: 'P-256', x, y }] as never, statuses: [] };
};

describe('the event of an issuance', () => {
  it.each([
    ['waits as long as the answer is kept, where the gateway reports', true, {}, REDELIVERY_SECONDS],
    ['waits for no gateway that does not report', false, {}, 0],
    ['waits for no gateway of an older release', undefined, {}, 0],
    ['waits for nobody where no answer is kept', true, { redeliverySeconds: 0 }, 0],
  ] as const)('VCI:P9 %s', async (_what, reports, deps, seconds) => {
    const { ask, holds } = recording({ deps });
    const [, name] = divide(await ask(reports));
    expect([holds(), readName(name)]).toEqual([[seconds], FIRST]);
  });

  it('VCI:P9 VCI:F1 waits for the answer with a promised credential, too', async () => {
    const deferral = { state: 'ready' as const, transaction: promised(open()) };
    for (const [reports, seconds] of [
      [true, REDELIVERY_SECONDS],
      [false, 0],
    ] as const) {
      const { askLater, holds } = recording({ grant: { deferral } });
      const [, name] = divide(await askLater(reports));
      expect([holds(), readName(name)]).toEqual([[seconds], FIRST]);
    }
  });
});

describe('the name of an answer', () => {
  it('VCI:P9 says that it was given again, also to who lost against an equal request', async () => {
    let sealed: Uint8Array | undefined;
    let digest: Uint8Array | undefined;
    const deps: EndpointOptions['deps'] = {
      complete: async ({ kept }) => {
        [sealed, digest] = [kept?.sealed, kept?.requestDigest];
        return 'issued';
      },
      findKept: async () => sealed,
    };
    expect(readName(divide(await open({ deps }).send())[1])).toEqual(FIRST);
    const keptRequests = [digest as Uint8Array];
    const later = open({ deps, grant: { status: 'ISSUED', claims: undefined, keptRequests } });
    expect(readName(divide(await later.send())[1])).toEqual(AGAIN);
    const loser = open({ deps: { ...deps, complete: async () => 'ended' } });
    expect(readName(divide(await loser.send())[1])).toEqual(AGAIN);
  });

  it('VCI:P5 VCI:F3 is none for a promise, the first time or again', async () => {
    const waiting = { state: 'waiting' as const };
    expect(divide(await open({ grant: { deferral: waiting } }).send())[1]).toBeUndefined();
    const deferral = { ...waiting, transaction: promised(open()) };
    expect(divide(await recording({ grant: { deferral } }).askLater(true))[1]).toBeUndefined();
  });
});

describe('an answer that is larger than what is carried', () => {
  const plain = { credentials: [{ credential: 'x'.repeat(1_000) }] };
  const mostAnswerBytes = () => 1_500;
  const encrypt = encryptAnswer({ random: randomBytes });
  const hand = handOut({ handOverKeys: [HAND_OVER_KEY], encryptAnswer: encrypt, mostAnswerBytes });
  const { publicJwk: recipient, kid } = requestEncryptionKeys([REQUEST_ENCRYPTION_SECRET], NOW).published;
  const encryption: ResponseEncryption = { recipient, kid, enc: 'A128GCM', zip: undefined };

  it('VCI:P8 VCI:E5 is refused as a repetition for its encryption, which may come again for one that fits', () => {
    expect(() => hand(plain, encryption, AGAIN)).toThrow(failsWith('invalid_encryption_parameters'));
    expect(hand(plain, undefined, AGAIN)).toMatchObject(plain);
    expect(hand(plain, { ...encryption, zip: 'DEF' }, AGAIN)).toHaveProperty('jwe');
  });

  it('VCI:P8 is denied as a repetition that no encryption made so large', () => {
    const handLess = handOut({ handOverKeys: [HAND_OVER_KEY], encryptAnswer: encrypt, mostAnswerBytes: () => 1_000 });
    expect(() => handLess(plain, undefined, AGAIN)).toThrow(failsWith('credential_request_denied'));
  });

  it('VCI:V3 is judged by whoever issues it, the first time', () => {
    expect(hand(plain, encryption, FIRST)).toHaveProperty('jwe');
  });
});
