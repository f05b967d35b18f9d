import type { LabelRequirement } from '../domain/label-selector';

/** Do the labels satisfy every requirement? What the store decides in SQL, for comparison. */
export function matchesLabels(
  requirements: readonly LabelRequirement[],
  labels: Readonly<Record<string, string>>,
): boolean {
  return requirements.every(({ key, operator, values }) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (operator === 'exists') return value !== undefined;
    if (operator === 'absent') return value === undefined;
    return (value !== undefined && values.includes(value)) === (operator === 'in');
  });
}
