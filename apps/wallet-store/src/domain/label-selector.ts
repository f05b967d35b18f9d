import { isLabelKey, isLabelValue } from '@vestibule/contracts';

/** One requirement of a label selector; `in` and `notin` carry values, the others do not. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'in' | 'notin' | 'exists' | 'absent';
  readonly values: readonly string[];
}

const MAX_SELECTOR_LENGTH = 1024;
const MAX_REQUIREMENTS = 20;

const SET = /^([^\s(),!=]+)\s+(in|notin)\s*\(([^()]*)\)$/;
const EQUALITY = /^([^\s(),!=]+)\s*(==?|!=)\s*([^\s(),!=]*)$/;
const EXISTENCE = /^(!?)\s*([^\s(),!=]+)$/;

function parseRequirement(text: string): LabelRequirement | undefined {
  const set = SET.exec(text);
  if (set) {
    const [, key = '', operator, list = ''] = set;
    return { key, operator: operator as 'in' | 'notin', values: list.split(',').map((value) => value.trim()) };
  }
  const equality = EQUALITY.exec(text);
  if (equality) {
    const [, key = '', operator, value = ''] = equality;
    return { key, operator: operator === '!=' ? 'notin' : 'in', values: [value] };
  }
  const existence = EXISTENCE.exec(text);
  return existence
    ? { key: existence[2] ?? '', operator: existence[1] === '!' ? 'absent' : 'exists', values: [] }
    : undefined;
}

/**
 * The requirements of a selector in the syntax of Kubernetes (`a=b,c!=d,e in (f,g),h notin (i),j,!k`): all must hold.
 * Undefined for any other string. As in Kubernetes, `!=` and `notin` also hold if the key is absent.
 */
export function parseLabelSelector(text: string): readonly LabelRequirement[] | undefined {
  if (text.length > MAX_SELECTOR_LENGTH) return undefined;
  // A comma within parentheses separates values; any other comma separates requirements.
  const parts = text.split(/,(?![^()]*\))/).map((part) => part.trim());
  const requirements = parts.map(parseRequirement).filter((requirement) => requirement !== undefined);
  if (requirements.length !== parts.length || parts.length > MAX_REQUIREMENTS) return undefined;
  const valid = ({ key, values }: LabelRequirement) => isLabelKey(key) && values.every(isLabelValue);
  return requirements.every(valid) ? requirements : undefined;
}
