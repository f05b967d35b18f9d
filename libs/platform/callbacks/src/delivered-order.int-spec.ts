import { type ServerResponse } from 'node:http';
import { type Database } from '@vestibule/persistence';
import { openStage, type Stage, status, until } from './outbox.stage';

jest.setTimeout(180_000);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterEach(() => stage.reset());
afterAll(() => stage.close());

const bodies = (): string[] => stage.posted.map(({ body }) => body);
const endLeases = () => stage.database.query(`UPDATE ${stage.table} SET leased_until = now()`);

/** A database that does not delete until it is told to. */
function undeleting() {
  const deletions = { refused: 0, answered: 0, areAllowed: false };
  const query: Database['query'] = async (text, parameters) => {
    if (!/DELETE/.test(text)) return stage.database.query(text, parameters);
    if (deletions.areAllowed)
      return stage.database.query<never>(text, parameters).finally(() => (deletions.answered += 1));
    deletions.refused += 1;
    throw new Error('no deletion now');
  };
  return { database: { ...stage.database, query }, deletions };
}

/** A process that has delivered `"first"`, and could not delete it before its lease ended. */
async function overtaken() {
  const { database, deletions } = undeleting();
  await stage.enqueue('offer', '"first"');
  const one = stage.deliverer({ database, limits: { pollMilliseconds: 600_000, leaseMarginMilliseconds: 120_000 } });
  await until(() => deletions.refused > 0);
  await endLeases();
  return { one, deletions };
}

describe('an event that was delivered, and whose lease ended before it could be deleted', () => {
  it('holds up the next one of its subject while another process posts it again', async () => {
    const { deletions } = await overtaken();
    const open: ServerResponse[] = [];
    stage.reply = (post, response) =>
      post.body === '"first"' ? void open.push(response) : status(204)(post, response);
    const other = stage.deliverer();
    await until(() => open.length === 1);
    await stage.enqueue('offer', '"second"');
    deletions.areAllowed = true;
    await until(() => deletions.answered > 0);
    other.wake();
    for (let look = 0; look < 4; look += 1) await stage.rows();
    expect(bodies()).toEqual(['"first"', '"first"']);
    expect(await stage.rows()).toHaveLength(2);
    open[0]?.writeHead(204).end();
    await until(stage.isEmpty);
    expect(bodies()).toEqual(['"first"', '"first"', '"second"']);
  });

  it('is not posted again by the process that knows that it was delivered', async () => {
    const { one, deletions } = await overtaken();
    await stage.enqueue('other', '"other"');
    one.wake();
    await until(() => bodies().includes('"other"'));
    await until(async () => (await stage.rows())[0]?.attempts === 2);
    deletions.areAllowed = true;
    await until(stage.isEmpty);
    expect(bodies()).toEqual(['"first"', '"other"']);
  });

  it('is deleted by the process that delivers it in the end, and leaves nothing', async () => {
    const { one, deletions } = await overtaken();
    stage.deliverer();
    await until(stage.isEmpty);
    expect(bodies()).toEqual(['"first"', '"first"']);
    deletions.areAllowed = true;
    await one.stop();
    expect(stage.lines.map(({ message }) => message)).not.toContain('callback given up: it is a dead letter now');
  });
});
