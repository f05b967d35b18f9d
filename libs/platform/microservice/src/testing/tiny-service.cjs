'use strict';
// The smallest service that there can be, over the compiled libraries: saves a label after a while.
const path = require('node:path');
const { z } = require('zod');

const compiled = (library) => require(path.resolve(__dirname, '../../../../../../dist/libs', library, 'src/index.js'));
const { contract, readiness } = compiled('platform/contracts');
const { microserviceVariables, runMicroservice } = compiled('platform/microservice');
const { sealedColumn } = compiled('platform/persistence');
const { defineConfiguration, optionalVariable, publicUrlSetting, textSetting, variable } = compiled('platform/process');

const SCHEMA = 'verifier';
const category = 'Test';

class CreateThing1700000000000 {
  async up(runner) {
    await runner.query(`CREATE TABLE ${SCHEMA}.thing (label text PRIMARY KEY)`);
    await runner.query(`CREATE TABLE ${SCHEMA}.secret (label text PRIMARY KEY, content bytea)`);
  }
  async down(runner) {
    await runner.query(`DROP TABLE ${SCHEMA}.secret`);
    await runner.query(`DROP TABLE ${SCHEMA}.thing`);
  }
}

async function saveLater(database, { label, milliseconds }) {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  const rows = await database.query(`INSERT INTO ${SCHEMA}.thing VALUES ($1) RETURNING label`, [label]);
  return { saved: rows.length };
}

/** Keeps the subjects of one test apart from those of every other test on the same NATS. */
const noun = process.env['NOUN'];

void runMicroservice({
  name: SCHEMA,
  schema: SCHEMA,
  configuration: defineConfiguration({
    ...microserviceVariables,
    address: optionalVariable('ADDRESS', publicUrlSetting(), { category, description: 'Where strangers reach it' }),
    greeting: variable('GREETING', textSetting(), { category, description: 'Anything' }),
  }),
  migrations: [CreateThing1700000000000],
  sealed: {
    schema: SCHEMA,
    sealed: [
      sealedColumn({
        table: 'secret',
        column: 'content',
        key: ['label'],
        contextOf: ({ label }) => `${SCHEMA}.secret.content/${label}`,
      }),
    ],
    plain: [],
  },
  publicUrl: ({ address }) => (address === undefined ? undefined : { variable: 'ADDRESS', url: address }),
  health: contract(`verifier.${noun}.check`, z.object({}), readiness, 2_000),
  open: ({ database, logger, onClose }) => {
    onClose('thing', () => logger.info('thing closed'));
    const question = z.object({ label: z.string(), milliseconds: z.int() });
    const save = contract(`verifier.${noun}.save`, question, z.object({ saved: z.int() }));
    return {
      checks: { key: () => true },
      answer: (server) => server.answer(save, (asked) => saveLater(database, asked)),
    };
  },
});
