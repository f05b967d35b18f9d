import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { contract, CONTRACT_VERSION, OLDEST_CONTRACT_VERSION } from '@vestibule/contracts';
import { z } from 'zod';
import { snapshotText } from './contracts';
import { describeContracts, type ContractSchemas } from './contracts/describe-contracts';
import { readSnapshots, snapshotFile, versionFaults } from './contracts/snapshots';

const root = path.resolve(__dirname, '..');
const library = createRequire(__filename)(path.join(root, 'libs/platform/contracts/src/index.ts')) as Readonly<
  Record<string, unknown>
>;
const now = describeContracts(library, CONTRACT_VERSION);
const understood = { oldest: OLDEST_CONTRACT_VERSION, newest: CONTRACT_VERSION };

describe('the contracts', () => {
  it('differ from those of their version by nothing that is not additive', () => {
    expect(versionFaults(now, readSnapshots(root), understood)).toEqual([]);
  });

  it('are those of the snapshot: otherwise run "node tools/run.cjs contracts"', () => {
    expect(readFileSync(path.join(root, snapshotFile(CONTRACT_VERSION)), 'utf8')).toBe(snapshotText(now));
    expect(Object.keys(now.contracts).length).toBeGreaterThan(50);
  });

  it('say more than that a value is there, of nearly everything', () => {
    const empty = JSON.stringify(now).match(/:\{\}/g) ?? [];
    expect(empty.length).toBeLessThan(JSON.stringify(now).match(/"type":/g)?.length ?? 0);
  });
});

const SUBJECT = 'verifier.thing.get';
const question = {
  id: z.string().max(10),
  kind: z.enum(['one', 'two']),
  page: z.int().min(1).max(100),
  filter: z.strictObject({ name: z.string().optional() }),
  nested: z.object({ list: z.array(z.object({ text: z.string(), note: z.string().optional() })) }).optional(),
  flag: z.boolean().default(false),
};
const answer = {
  id: z.string(),
  state: z.enum(['open', 'ended']),
  count: z.int(),
  note: z.string().optional(),
  by: z.record(z.string(), z.object({ at: z.iso.datetime() })),
  either: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
};

type Members = Readonly<Record<string, z.ZodType>>;

function described(
  { asked = question, answered = answer }: { asked?: Members; answered?: Members } = {},
  more: readonly string[] = [],
): ContractSchemas {
  const all = [SUBJECT, ...more].map((subject) => contract(subject, z.object(asked), z.object(answered), 1_000));
  return describeContracts({ all }, 1);
}

const before = described();
const without = (members: Members, name: string): Members =>
  Object.fromEntries(Object.entries(members).filter(([one]) => one !== name));
const faultsOf = (after: ContractSchemas) => versionFaults(after, new Map([[1, before]]), { oldest: 1, newest: 1 });

describe('what is additive', () => {
  it.each<[string, ContractSchemas]>([
    ['nothing', described()],
    ['a new contract', described({}, ['verifier.other.get'])],
    ['an optional member of a question', described({ asked: { ...question, more: z.string().optional() } })],
    ['a member of a question with a default', described({ asked: { ...question, more: z.string().default('x') } })],
    ['an optional member of an answer', described({ answered: { ...answer, more: z.string().optional() } })],
    ['a new value in a question', described({ asked: { ...question, kind: z.enum(['one', 'two', 'three']) } })],
    ['a wider bound in a question', described({ asked: { ...question, page: z.int().min(1).max(1_000) } })],
    [
      'an optional member of a strict object in a question',
      described({
        asked: { ...question, filter: z.strictObject({ name: z.string().optional(), of: z.string().optional() }) },
      }),
    ],
    [
      'another type beside the old one in a question',
      described({ asked: { ...question, id: z.union([z.string().max(10), z.int()]) } }),
    ],
    ['descriptions', described({ answered: { ...answer, note: z.string().optional().describe('A note') } })],
  ])('is %s', (_what, after) => {
    expect(faultsOf(after)).toEqual([]);
  });
});

const VIOLATIONS: readonly (readonly [string, ContractSchemas, RegExp])[] = [
  [
    'a renamed subject',
    describeContracts({ all: [contract('verifier.thing.find', z.object(question), z.object(answer), 1)] }, 1),
    /is gone/,
  ],
  ['a member of a question removed', described({ asked: without(question, 'id') }), /question\.id: is removed/],
  [
    'an optional member of an answer removed',
    described({ answered: without(answer, 'note') }),
    /answer\.note: is removed/,
  ],
  ['a member of an answer removed', described({ answered: without(answer, 'id') }), /answer\.id/],
  [
    'a new required member of a question',
    described({ asked: { ...question, more: z.string() } }),
    /question\.more: is required/,
  ],
  [
    'a new required member of an answer',
    described({ answered: { ...answer, more: z.string() } }),
    /answer\.more: is required/,
  ],
  [
    'a member of a question made required',
    described({ asked: { ...question, nested: question.nested.unwrap() } }),
    /question\.nested: is required/,
  ],
  [
    'a member of an answer made required',
    described({ answered: { ...answer, note: z.string() } }),
    /answer\.note: is required/,
  ],
  [
    'a member of an answer made optional',
    described({ answered: { ...answer, id: z.string().optional() } }),
    /answer\.id: is required/,
  ],
  [
    'a member of a question made optional',
    described({ asked: { ...question, id: z.string().max(10).optional() } }),
    /question\.id: is required/,
  ],
  ['another type', described({ answered: { ...answer, count: z.string() } }), /answer\.count: is/],
  [
    'a narrower type in a question',
    described({ asked: { ...question, id: z.enum(['x']) } }),
    /question\.id: a value is not among/,
  ],
  [
    'a number of an answer that is whole no more',
    described({ answered: { ...answer, count: z.number() } }),
    /answer\.count: is number, not integer/,
  ],
  [
    'a narrower bound in a question',
    described({ asked: { ...question, id: z.string().max(9) } }),
    /question\.id: maxLength is lower/,
  ],
  [
    'a higher least in a question',
    described({ asked: { ...question, page: z.int().min(2).max(100) } }),
    /question\.page: minimum is higher/,
  ],
  [
    'a pattern in a question',
    described({ asked: { ...question, id: z.string().max(10).regex(/^a/) } }),
    /question\.id: pattern differs/,
  ],
  [
    'a rule in a question',
    described({
      asked: {
        ...question,
        id: z
          .string()
          .max(10)
          .refine((text) => text !== ''),
      },
    }),
    /question\.id: x-rules/,
  ],
  [
    'a value of a question that is known no more',
    described({ asked: { ...question, kind: z.enum(['one']) } }),
    /question\.kind: a value/,
  ],
  [
    'a new value in an answer',
    described({ answered: { ...answer, state: z.enum(['open', 'ended', 'lost']) } }),
    /answer\.state: a value/,
  ],
  [
    'a new alternative in an answer',
    described({ answered: { ...answer, either: z.union([...answer.either.options, z.object({ c: z.int() })]) } }),
    /answer\.either: an alternative/,
  ],
  [
    'an alternative of an answer removed',
    described({ answered: { ...answer, either: z.union([z.object({ a: z.string() })]) } }),
    /answer\.either/,
  ],
  [
    'a member of an alternative removed',
    described({ answered: { ...answer, either: z.union([z.object({ a: z.string() }), z.object({})]) } }),
    /answer\.either/,
  ],
  [
    'a member deep in a list removed',
    described({
      asked: { ...question, nested: z.object({ list: z.array(z.object({ text: z.string() })) }).optional() },
    }),
    /list\[\]\.note: is removed/,
  ],
  [
    'a member deep in a record made required',
    described({
      answered: { ...answer, by: z.record(z.string(), z.object({ at: z.iso.datetime(), on: z.string() })) },
    }),
    /by\.\*\.on: is required/,
  ],
  [
    'a strict object',
    described({
      asked: { ...question, nested: z.strictObject({ list: z.array(z.object({ text: z.string() })) }).optional() },
    }),
    /nested/,
  ],
  [
    'a member with a default in a strict object',
    described({
      asked: { ...question, filter: z.strictObject({ name: z.string().optional(), of: z.string().default('x') }) },
    }),
    /filter\.of: is unknown to a strict reader/,
  ],
  [
    'another default',
    described({ asked: { ...question, flag: z.boolean().default(true) } }),
    /question\.flag: has another default/,
  ],
];

describe('what is not additive', () => {
  it.each(VIOLATIONS)('is %s', (_what, after, sentence) => {
    expect(faultsOf(after)).toEqual(expect.arrayContaining([expect.stringMatching(sentence)]));
  });

  it.each(VIOLATIONS)('passes under a raised version where the former is understood no more: %s', (_what, after) => {
    const raised = { oldest: 2, newest: 2 };
    expect(versionFaults(after, new Map(), raised)).toEqual([]);
    expect(versionFaults(after, new Map([[1, before]]), raised)).toEqual([expect.stringContaining('remove it')]);
  });

  it.each(VIOLATIONS)('has the former snapshot kept for as long as both are understood: %s', (_what, after) => {
    expect(versionFaults(after, new Map(), { oldest: 1, newest: 2 })).toEqual([expect.stringContaining('is missing')]);
  });
});

describe('while two versions are understood', () => {
  const both = { oldest: 1, newest: 2 };
  const faultsOfBoth = (after: ContractSchemas) => versionFaults(after, new Map([[1, before]]), both);

  it('services may answer more exactly, and gateways may ask what only services of now know', () => {
    expect(faultsOfBoth(described({ answered: { ...answer, more: z.string() } }))).toEqual([]);
    expect(faultsOfBoth(described({ asked: { ...question, id: z.union([z.string(), z.int()]) } }))).toEqual([]);
  });

  it.each<[string, ContractSchemas, RegExp]>([
    [
      'a former question is refused',
      described({ asked: { ...question, more: z.string() } }),
      /version 1 .*question\.more/,
    ],
    ['a former gateway misses a member', described({ answered: without(answer, 'id') }), /version 1 .*answer\.id/],
    ['a subject is gone', describeContracts({}, 2), /version 1 .*is gone/],
  ])('nothing passes by which %s', (_what, after, sentence) => {
    expect(faultsOfBoth(after)).toEqual(expect.arrayContaining([expect.stringMatching(sentence)]));
  });

  it('the oldest is not above the newest', () => {
    expect(versionFaults(before, new Map(), { oldest: 2, newest: 1 })).toHaveLength(1);
  });
});
