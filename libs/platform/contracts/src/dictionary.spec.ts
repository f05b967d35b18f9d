import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseJson } from '@vestibule/foundation';
import { z } from 'zod';
import { draftCreateBody, draftSearchBody, judge, resourceView, schemaCreateBody, schemaSearchBody } from './index';
import { annotations, labels, metaData } from './labels';
import { publishedSchemaSearchBody } from './schemas';

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
/** As a body arrives, with its members as they were sent. */
const json = (text: string): unknown => parseJson(text);
const keysOf = (value: object | undefined): string[] => Object.keys(value ?? {});

describe('a label or annotation with a name that every object has', () => {
  it('__proto__ is refused, as every name that begins with an underscore', () => {
    for (const schema of [labels, annotations]) {
      const { faults } = judge(schema, json('{"a":"b","__proto__":"x"}'));
      expect(faults).toEqual([{ path: '__proto__', message: expect.any(String) as string }]);
      expect(schema.safeParse(json('{"__proto__":{"a":"b"}}')).success).toBe(false);
      expect(schema.safeParse(json('{"_proto":"x"}')).success).toBe(false);
    }
    expect(metaData.safeParse(json('{"Labels":{"__proto__":"x"}}')).success).toBe(false);
    expect(metaData.safeParse(json('{"__proto__":{"Labels":{}}}')).success).toBe(false);
    for (const body of ['{"labels":{"__proto__":"x"}}', '{"annotations":{"__proto__":"x"}}', '{"__proto__":{}}']) {
      expect(schemaCreateBody.safeParse(json(body)).success).toBe(false);
      expect(draftCreateBody.safeParse(json(`{"data":{"values":{},"schema":{}},${body.slice(1)}`)).success).toBe(false);
    }
  });

  it.each(NAMES.slice(1))('%s is a name as any other', (name) => {
    for (const schema of [labels, annotations]) {
      const parsed = schema.parse(json(`{"${name}":"x"}`));
      expect([keysOf(parsed), Object.getOwnPropertyDescriptor(parsed, name)?.value]).toEqual([[name], 'x']);
    }
  });
});

describe.each([
  ['drafts', draftSearchBody],
  ['schemas', schemaSearchBody],
  ['published schemas', publishedSchemaSearchBody],
])('a filter of %s', (_name, schema) => {
  const one = '{"operator":"EQUAL","value":"x"}';

  it.each([
    `{"filter":[{"labels":{"__proto__":${one}}}]}`,
    `{"filter":[{"labels":{"a":${one},"__proto__":${one}}}]}`,
    `{"filter":[{"__proto__":${one}}]}`,
    `{"filter":[{"id":${one}},{"__proto__":{"id":${one}}}]}`,
    `{"filter":[{"labels":{"a":{"operator":"EQUAL","value":"x","__proto__":{}}}}]}`,
    `{"filter":[{"constructor":${one}}]}`,
    `{"filter":[{"prototype":${one}}]}`,
    `{"__proto__":{"filter":[]}}`,
    `{"constructor":1}`,
  ])('never loses a condition: %s is refused', (body) => {
    expect(schema.safeParse(json(body)).success).toBe(false);
  });

  it.each(NAMES.slice(1))('keeps a condition on the label %s', (name) => {
    const { filter } = schema.parse(json(`{"filter":[{"labels":{"${name}":${one}}}]}`));
    expect(keysOf(filter?.[0]?.['labels'] as object)).toEqual([name]);
  });
});

describe('the bounds of a filter', () => {
  const among = (count: number, operator = 'NOT_IN') => ({ operator, value: Array.from({ length: count }, String) });
  const labelled = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`key-${index}`, { operator: 'EQUAL', value: 'x' }]),
    );
  const entries = (count: number, entry: object) => ({ filter: Array.from({ length: count }, () => entry) });

  it.each<[string, object, boolean]>([
    ['100 values of a list', entries(1, { id: among(100) }), true],
    ['101 values of a list', entries(1, { id: among(101) }), false],
    ['20 entries', entries(20, { id: among(1) }), true],
    ['21 entries', entries(21, { id: among(1) }), false],
    ['20 labels', entries(1, { labels: labelled(20) }), true],
    ['21 labels', entries(1, { labels: labelled(21) }), false],
    ['500 values altogether', entries(5, { id: among(100, 'IN') }), true],
    ['501 values altogether', { filter: [...entries(5, { id: among(100) }).filter, { id: { operator: 'EQUAL', value: 'x' } }] }, false], // prettier-ignore
    ['600 values of labels', entries(6, { labels: { a: among(50), b: among(50, 'IN') } }), false],
    ['400 conditions on labels', entries(20, { labels: labelled(20) }), true],
  ])('takes, or does not take, %s', (_what, body, isTaken) => {
    for (const schema of [draftSearchBody, schemaSearchBody]) expect(schema.safeParse(body).success).toBe(isTaken);
  });
});

describe('an answer with such a label', () => {
  it('is refused, for nothing like it can be stored', () => {
    const view = {
      kind: { name: 'Draft', version: '0.40.11' },
      id: 'i',
      etag: 'e',
      revision: 1,
      annotations: {},
      data: {},
    };
    const times = { created_at: '2026-01-01T00:00:00.000Z', modified_at: '2026-01-01T00:00:00.000Z' };
    expect(resourceView.safeParse({ ...view, ...times, labels: { a: 'b' } }).success).toBe(true);
    expect(resourceView.safeParse({ ...view, ...times, labels: json('{"__proto__":"b"}') }).success).toBe(false);
  });
});

describe('a schema of messages', () => {
  it('is never a record of zod, which drops a member __proto__ without a word', () => {
    expect(z.record(z.string(), z.string()).parse(json('{"__proto__":"x"}'))).toEqual({});
    const using = readdirSync(__dirname)
      .filter((file) => file.endsWith('.ts') && !file.endsWith('spec.ts'))
      .filter((file) => readFileSync(path.join(__dirname, file), 'utf8').includes('z.record('));
    // Events are described to backends and parsed nowhere here.
    expect(using.sort()).toEqual(['callback-events.ts']);
  });
});
