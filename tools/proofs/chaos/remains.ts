import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { offerSample, SAMPLE_CLAIMS } from '@vestibule/dev-stack';
import { Pool } from 'pg';
import { files, lookAt, tables, toastTables, type Place } from '../purge/places';
import { loadRegistries, openedRecords } from '../purge/sealed-places';
import { backendOf } from './flows';
import { fetchWithJudgement, patiently } from './patience';
import { NAME_FORMS, newName } from './persons';
import type { Installation } from './world';

/** For calls that are repeated, and for the sweep that deletes what has expired. */
const PATIENCE_MILLISECONDS = 30_000;
const LOOK_MILLISECONDS = 1_000;

/** Answers that wallets may no longer ask for: only a wallet could open them, so that they are counted, not searched. */
const OVERDUE_ANSWERS = `SELECT count(*)::int AS overdue FROM issuer.kept_answer WHERE expires_at < now() - interval '30 s'`;

/** Each part of these places in which a name occurs, once. */
export async function findNames(places: readonly Place[]): Promise<string[]> {
  const looks = await Promise.all(places.map((place) => lookAt(place, NAME_FORMS)));
  const findings = looks.flatMap((look) => look.findings);
  return [...new Set(findings.map(({ place, where, forms }) => `${place}: ${where} (${forms.join(', ')})`))];
}

async function look(pool: Pool, places: readonly Place[]): Promise<string[]> {
  const { rows } = await pool.query<{ overdue: number }>(OVERDUE_ANSWERS);
  const overdue = rows[0]?.overdue ?? 0;
  const names = (await findNames(places)).map((found) => `a person's name is left in ${found}`);
  return overdue > 0 ? [...names, `${overdue} answers are kept for too long`] : names;
}

/** Creates an offer and cancels it. While it is open its claims are there: who does not see them would prove nothing. */
async function isBlind(world: Installation, sealed: Place): Promise<boolean> {
  const patience = { deadline: performance.now() + PATIENCE_MILLISECONDS };
  const claims = { ...SAMPLE_CLAIMS, family_name: newName() };
  const { offerId } = await offerSample(backendOf(world, patience), { claims });
  const found = await findNames([sealed]);
  const url = `${world.stack.managementUrl}/offers/${offerId}`;
  await patiently('cancel', patience, () => fetchWithJudgement('cancel', url, { method: 'DELETE' }));
  return found.length === 0;
}

/**
 * What is left of the persons whose flows have ended and were reported: their names in the database, also in what is
 * sealed there, and in logs and files of the stack; and credentials that are kept for too long.
 * @param root the checkout whose services run
 */
export async function findRemains(world: Installation, root: string): Promise<string[]> {
  const { stack, databaseUrl } = world;
  const pool = new Pool({ connectionString: databaseUrl(), max: 2 });
  const services = new Set(stack.processes.map(({ app }) => app).filter((app) => app !== 'gateway'));
  const sealed = openedRecords(pool, loadRegistries(root, [...services]), stack.files.secrets.sealingKey);
  const logs = files('logs and files of the stack', [path.dirname(stack.logFile)]);
  const places = [tables(pool), toastTables(pool), sealed, logs];
  try {
    if (await isBlind(world, sealed)) return ['the search for names does not see an open offer'];
    const deadline = performance.now() + PATIENCE_MILLISECONDS;
    let remains = await look(pool, places);
    while (remains.length > 0 && performance.now() < deadline) {
      await sleep(LOOK_MILLISECONDS);
      remains = await look(pool, places);
    }
    return remains;
  } finally {
    await pool.end();
  }
}
