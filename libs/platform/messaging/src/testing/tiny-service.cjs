'use strict';
// A minimal service over the compiled libraries: saves a label after a while.
const path = require('node:path');
const { z } = require('zod');

const compiled = (library) => require(path.resolve(__dirname, '../../../../../dist/libs', library, 'src/index.js'));
const { Controller, Inject, Module } = require('@nestjs/common');
const { contract, readiness } = compiled('platform/contracts');
const { createSealingKeyDevices } = compiled('platform/keys');
const { Answers, BusModule } = compiled('platform/messaging');
const {
  AUDIT_PLAIN_COLUMNS,
  auditTableSql,
  DATABASE,
  databaseCommands,
  DatabaseModule,
  dropAuditTableSql,
  sealedColumn,
} = compiled('platform/persistence');
const {
  defineConfiguration,
  microserviceVariables,
  optionalVariable,
  PROCESS,
  publicUrlSetting,
  runMicroservice,
  textSetting,
  variable,
} = compiled('platform/process');

const SCHEMA = 'verifier';
const category = 'Test';

class CreateThing1700000000000 {
  async up(runner) {
    await runner.query(`CREATE TABLE ${SCHEMA}.thing (label text PRIMARY KEY)`);
    await runner.query(`CREATE TABLE ${SCHEMA}.secret (label text PRIMARY KEY, content bytea)`);
    for (const statement of auditTableSql(SCHEMA)) await runner.query(statement);
  }
  async down(runner) {
    for (const statement of dropAuditTableSql(SCHEMA)) await runner.query(statement);
    await runner.query(`DROP TABLE ${SCHEMA}.secret`);
    await runner.query(`DROP TABLE ${SCHEMA}.thing`);
  }
}

async function saveLater(database, { label, milliseconds }) {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  const rows = await database.query(`INSERT INTO ${SCHEMA}.thing VALUES ($1) RETURNING label`, [label]);
  return { saved: rows.length };
}

/** Separates the subjects of this test from those of every other test on the same NATS. */
const noun = process.env['NOUN'];

const check = contract(`verifier.${noun}.check`, z.object({}), readiness, 2_000);
const save = contract(
  `verifier.${noun}.save`,
  z.object({ label: z.string(), milliseconds: z.int() }),
  z.object({ saved: z.int() }),
);

class TinyController {
  constructor(context, database) {
    this.context = context;
    this.database = database;
    context.readiness.require('key', () => true);
  }
  check() {
    return this.context.readiness.report();
  }
  save(asked) {
    return saveLater(this.database, asked);
  }
  onApplicationShutdown() {
    this.context.logger.info('thing closed');
  }
}
Controller()(TinyController);
Inject(PROCESS)(TinyController, undefined, 0);
Inject(DATABASE)(TinyController, undefined, 1);
for (const [name, asked] of Object.entries({ check, save })) {
  const method = Object.getOwnPropertyDescriptor(TinyController.prototype, name);
  Answers(asked)(TinyController.prototype, name, method);
  Object.defineProperty(TinyController.prototype, name, method);
}

const TINY_DATABASE = {
  schema: SCHEMA,
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
    plain: AUDIT_PLAIN_COLUMNS,
  },
};

class TinyModule {}
Module({ imports: [DatabaseModule.forRoot(TINY_DATABASE), BusModule.forRoot()], controllers: [TinyController] })(
  TinyModule,
);

void runMicroservice({
  name: SCHEMA,
  configuration: defineConfiguration({
    ...microserviceVariables,
    address: optionalVariable('ADDRESS', publicUrlSetting(), { category, description: 'Where strangers reach it' }),
    greeting: variable('GREETING', textSetting(), { category, description: 'Anything' }),
  }),
  sealingKeyDevices: createSealingKeyDevices(),
  module: TinyModule,
  publicUrl: ({ address }) => (address === undefined ? undefined : { variable: 'ADDRESS', url: address }),
  commands: databaseCommands(TINY_DATABASE),
});
