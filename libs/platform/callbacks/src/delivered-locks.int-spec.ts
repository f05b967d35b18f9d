import { openStage, type Stage, until } from './outbox.stage';

jest.setTimeout(180_000);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterEach(() => stage.reset());
afterAll(() => stage.close());

const subjects = async (): Promise<string[]> => (await stage.rows()).map(({ subject }) => subject);

/** Delivers these events while somebody has locked one that was leased, whose subject `work` gets. */
async function whileOneIsLocked(names: readonly string[], work: (locked: string) => Promise<void>): Promise<void> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  stage.reply = (_, response) => void released.then(() => response.writeHead(204).end());
  for (const name of names) await stage.enqueue(name, `"${name}"`);
  stage.deliverer({ limits: { pollMilliseconds: 600_000 } });
  await until(() => stage.posted.length > 0);
  const locked = (await stage.rows()).find(({ attempts }) => attempts === 1)?.subject ?? '';
  await stage.database.transaction(async ({ query }) => {
    await query(`SELECT id FROM ${stage.table} WHERE subject = $1 FOR UPDATE`, [locked]);
    release();
    await until(() => stage.posted.length === names.length);
    await work(locked);
  });
}

describe('a delivered event whose row somebody has locked', () => {
  it('delays the deletion of no other, and is deleted when the lock ends, with one post', async () => {
    const names = Array.from({ length: 40 }, (_, at) => `offer${at}`);
    await whileOneIsLocked(names, async (locked) => {
      await until(async () => (await subjects()).length === 1);
      expect(await subjects()).toEqual([locked]);
    });
    await until(stage.isEmpty);
    expect(stage.posted.map(({ body }) => body).sort()).toEqual(names.map((name) => `"${name}"`).sort());
  });
});
