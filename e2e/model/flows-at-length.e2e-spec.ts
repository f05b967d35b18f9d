import fc from 'fast-check';
import { SAMPLE_TYPE } from '@vestibule/dev-stack';
import { testSize } from '@vestibule/testkit';
import { startIssuanceBench } from '../src/issuance-bench';
import { FLOWS } from '../src/stage';
import { expectNoTraceIn } from '../src/traces';
import { createAttesters, type Attesters } from '../src/wallet-attesters';
import { startDisturbedStage, type DisturbedStage } from './disturbed-stage';
import { flowsEndAsInModel } from './property';
import { CANARY, createWorld, useWorld, type World } from './world';

jest.setTimeout(3_000_000);

const RUNS = testSize('MODEL_RUNS', 150);
const KEEPING_RUNS = testSize('MODEL_KEEPING_RUNS', 80);
const DISTURBED_RUNS = testSize('MODEL_DISTURBED_RUNS', 25);

const CARD = {
  name: 'Card',
  claims: ['given_name', 'family_name', 'birthdate'].map((name) => ({ path: [name], sd: 'always' })),
};

describe('whatever backends and wallets do', () => {
  const world = useWorld();

  it('each answer, end and event of hundreds of histories is one that the contract allows', async () => {
    await fc.assert(flowsEndAsInModel(world, 14, { isLong: true }), { numRuns: RUNS });
  });
});

describe('whatever they do where the issuer keeps claims, knows attesters, and has two replicas', () => {
  let attesters: Attesters;
  let world: World;
  beforeAll(async () => {
    attesters = await createAttesters();
    const issuer = {
      KEEP_CLAIMS_UNTIL_EXPIRY: 'true',
      ATTESTATION_TRUST_FILE: attesters.trustFile,
      ATTESTATION_CHALLENGE: 'off',
      // The issuer of the usual types reads no attestations.
      TYPE_METADATA_FOLDER: '{files}',
    };
    const files = { [`${SAMPLE_TYPE}.json`]: JSON.stringify(CARD) };
    const bench = await startIssuanceBench({ apps: FLOWS, replicas: { issuer: 2 }, environment: { issuer }, files });
    world = await createWorld(bench, { keepsClaims: true, attesters });
  });
  afterAll(async () => {
    await world?.stop();
    attesters?.remove();
  });

  it('each answer, end and event is one that the contract allows', async () => {
    await fc.assert(
      flowsEndAsInModel(() => world, 14, { isLong: true }),
      { numRuns: KEEPING_RUNS },
    );
  });
});

describe('whatever they do while services are killed and the backend fails', () => {
  let disturbed: DisturbedStage;
  beforeAll(async () => {
    disturbed = await startDisturbedStage();
  });
  afterAll(() => disturbed?.stop());

  it('each answer, end and event is one that the contract allows', async () => {
    const disturbance = () => disturbed.disturbance;
    await fc.assert(
      flowsEndAsInModel(() => disturbed.world, 10, { disturbance, isLong: true }),
      { numRuns: DISTURBED_RUNS },
    );
  });

  it('no name that was presented or offered is left in the database or in a log', () =>
    expectNoTraceIn(disturbed.bench.stage, [CANARY]));
});
