import { randomBytes } from 'node:crypto';
import { chainHash, isAhead, type NewPublication } from '../../domain/status-list';
import { X5C } from '../../testing/status-lists.fixture-spec';
import { openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

/** A list, and publications of it at times that are given in seconds from now, by the clock of the database. */
async function openList() {
  const listId = randomBytes(16).toString('base64url');
  const { statusLists } = stage;
  await statusLists.openList({ listId, size: 128, x5c: X5C, issuer: '' }, undefined);
  const state = async () => {
    const found = await statusLists.findList(listId, undefined);
    if (!found) throw new Error('no list');
    return found;
  };
  const { databaseAt } = await state();
  const at = (seconds: number) => new Date(databaseAt.getTime() + seconds * 1000);
  const publish = async (seconds: number, more: Partial<NewPublication> = {}) => {
    const token = randomBytes(8).toString('hex');
    const publication = {
      listId,
      version: 0,
      publishedAt: at(seconds),
      etag: token,
      token,
      signedWith: chainHash(X5C),
      ...more,
    };
    await statusLists.publish(publication);
    return (await state()).publication?.token === token;
  };
  return { state, at, publish };
}

describe('VCI:Z7 what replaces a publication', () => {
  it('is what is not older, with the content of the same version or of a later one', async () => {
    const { publish } = await openList();
    expect(await publish(0, { version: 1 })).toBe(true);
    expect(await publish(-1, { version: 1 })).toBe(false);
    expect(await publish(-1, { version: 2 })).toBe(false);
    expect(await publish(1, { version: 0 })).toBe(false);
    expect(await publish(0, { version: 1 })).toBe(true);
    expect(await publish(1, { version: 2 })).toBe(true);
  });

  it('is anything with the right time where a clock was ahead, but no older content', async () => {
    const { state, at, publish } = await openList();
    expect(await publish(86_400, { version: 1 })).toBe(true);
    expect(isAhead(await state(), at(0))).toBe(true);
    expect(await publish(0, { version: 0 })).toBe(false);
    expect(await publish(0, { version: 1 })).toBe(true);
    expect(isAhead(await state(), at(0))).toBe(false);
  });

  it('is nothing older because the clock of a replica is behind', async () => {
    const { state, at, publish } = await openList();
    expect(await publish(0)).toBe(true);
    expect(isAhead(await state(), at(-86_400))).toBe(false);
    expect(await publish(-86_400)).toBe(false);
  });
});
