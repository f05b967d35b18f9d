import { changedDefaults, compareSchemas, missingMembers } from './compare-schemas';
import type { ContractSchemas, Schema } from './describe-contracts';

interface Change {
  readonly before: Schema;
  readonly now: Schema;
  readonly path: string;
}

const same = ({ before, now, path }: Change): string[] => [
  ...missingMembers(before, now, path),
  ...changedDefaults(before, now, path),
];

/** New services, old gateways. */
function servedQuestion({ before, now, path }: Change): string[] {
  return compareSchemas({ written: before, read: now, path, mayRefuseNews: false });
}

function servedAnswer({ before, now, path }: Change): string[] {
  return compareSchemas({ written: now, read: before, path, mayRefuseNews: false });
}

function each(
  before: ContractSchemas,
  now: ContractSchemas,
  judge: (part: 'question' | 'answer', change: Change) => string[],
): string[] {
  const ofContracts = Object.entries(before.contracts).flatMap(([subject, schemas]) => {
    const next = now.contracts[subject];
    if (!next) return [`${subject}: is gone`];
    return (['question', 'answer'] as const).flatMap((part) =>
      judge(part, { before: schemas[part], now: next[part], path: `${subject} ${part}` }),
    );
  });
  return [...ofContracts, ...judge('answer', { before: before.reply, now: now.reply, path: 'reply' })];
}

/**
 * What is not additive between two descriptions of one version: only if this is empty, a gateway of either works with a
 * service of the other.
 */
export function notAdditive(before: ContractSchemas, now: ContractSchemas): string[] {
  const faults = each(before, now, (part, change) => {
    const { before: old, now: next, path } = change;
    return part === 'question'
      ? [
          ...servedQuestion(change),
          ...compareSchemas({ written: next, read: old, path, mayRefuseNews: true }),
          ...same(change),
        ]
      : [
          ...servedAnswer(change),
          ...compareSchemas({ written: old, read: next, path, mayRefuseNews: false }),
          ...same(change),
        ];
  });
  return [...new Set(faults)];
}

/** Why new services cannot serve gateways of a former version that they still understand; empty if they can. */
export function notServed(former: ContractSchemas, now: ContractSchemas): string[] {
  return [
    ...new Set(each(former, now, (part, change) => (part === 'question' ? servedQuestion : servedAnswer)(change))),
  ];
}
