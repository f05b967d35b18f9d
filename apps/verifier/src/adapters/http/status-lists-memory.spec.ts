import { signEs256 } from '@vestibule/crypto';
import { encodeBase64url } from '@vestibule/foundation';
import type { VerifiedPresentation } from '@vestibule/oid4vp';
import { answer, statusListsOf } from '../../testing/status-lists.fixture-spec';
import { createWorld, type World } from '../../testing/verifier.fixture-spec';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

const { tokenOf, credential, open } = statusListsOf(() => world);
const uriOf = (index: number) => `https://wallet.example/lists/${index}`;

/** A list of an issuer without an anchor, with so many characters more in its header. */
async function listWith(uri: string, characters: number) {
  const [head = '', payload = ''] = (await tokenOf({ uri })).split('.');
  const header = JSON.parse(Buffer.from(head, 'base64url').toString('utf8')) as object;
  const padded = encodeBase64url(Buffer.from(JSON.stringify({ ...header, kid: 'k'.repeat(characters) })));
  const input = `${padded}.${payload}`;
  const signature = signEs256(world.pki.issuer.privateKey, Buffer.from(input));
  return answer(`${input}.${encodeBase64url(signature)}`);
}

function stranger(index: number): VerifiedPresentation {
  const { signedBy, ...rest } = credential({ uri: uriOf(index), idx: 7 });
  return { ...rest, signedBy: { ...signedBy, trusted: false } } as VerifiedPresentation;
}

describe('lists that anyone may publish', () => {
  it.each([
    [40_000, 'are forgotten once their headers fill what is set aside for them'],
    [0, 'are kept with headers of the usual size'],
  ])('VP:O16 with %i characters in excess %s', async (characters) => {
    const count = 350;
    const { check, fetches } = open((uri) => listWith(uri, characters));
    for (let index = 0; index < count; index += 1) await check(stranger(index));
    expect(fetches).toHaveLength(count);
    await check(stranger(count - 1));
    expect(fetches).toHaveLength(count);
    await check(stranger(0));
    expect(fetches).toHaveLength(characters > 0 ? count + 1 : count);
  });
});
