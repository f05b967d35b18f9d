import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDevelopmentFile, type TestTitle } from './spec-map-titles';

/** One line of the requirements that this project has to meet. */
export interface Requirement {
  /** `VP:` for the verifier, `VCI:` for the issuer, `EU:` for the rules of the EU reference wallet. */
  readonly id: string;
  readonly requirement: string;
  readonly level: string;
  readonly standard: string;
  /** Why there is no test. */
  readonly notBuilt?: string;
  /** Only for decisions and pitfalls: the requirements whose tests cover it too. */
  readonly coveredBy?: readonly string[];
}

/** A file of requirements with its heading on the page. */
export interface RequirementList {
  readonly heading: string;
  readonly requirements: readonly Requirement[];
}

const LISTS = [
  ['verifier', 'Verifier: OpenID4VP 1.0 under HAIP 1.0'],
  ['decisions', 'Verifier: decisions, traps and what is kept ready'],
  ['issuer', 'Issuer: OpenID4VCI 1.0'],
  ['eu-wallet', 'Both: what the libraries of the EU reference wallet ask for'],
] as const;

/** The lists in docs/requirements. */
export function readRequirements(root: string): RequirementList[] {
  return LISTS.map(([name, heading]) => {
    const text = readFileSync(path.join(root, 'docs/requirements', `${name}.json`), 'utf8');
    return { heading, requirements: JSON.parse(text) as Requirement[] };
  });
}

/** The product's tests of each requirement, including those of the requirements that cover it. */
export class RequirementTests {
  readonly #byId = new Map<string, TestTitle[]>();

  constructor(titles: readonly TestTitle[]) {
    for (const entry of titles.filter(({ file }) => !isDevelopmentFile(file))) {
      this.#byId.set(entry.id, [...(this.#byId.get(entry.id) ?? []), entry]);
    }
  }

  of({ id, coveredBy = [] }: Pick<Requirement, 'id' | 'coveredBy'>): TestTitle[] {
    return [id, ...coveredBy].flatMap((name) => this.#byId.get(name) ?? []);
  }
}

function faultsOfOne(one: Requirement, tests: RequirementTests): string[] {
  const { id, notBuilt, coveredBy = [] } = one;
  const own = tests.of({ id });
  const uncovered = coveredBy.filter((other) => tests.of({ id: other }).length === 0);
  return [
    ...(own.length > 0 && notBuilt !== undefined ? [`${id}: its reason is stale, ${own[0]?.file} tests it`] : []),
    ...(tests.of(one).length === 0 && notBuilt === undefined ? [`${id}: has neither a test nor a reason`] : []),
    ...(notBuilt?.trim() === '' ? [`${id}: the reason is empty`] : []),
    ...uncovered.map((other) => `${id}: is covered by ${other}, which has no test`),
    ...(coveredBy.length > 0 && !/^VP:[DT]\d/.test(id) ? [`${id}: needs a test of its own`] : []),
  ];
}

/**
 * The faults between requirements and tests; empty if each requirement has a test or a reason, and tests name only
 * known requirements.
 */
export function requirementFaults(requirements: readonly Requirement[], titles: readonly TestTitle[]): string[] {
  const tests = new RequirementTests(titles);
  const ids = requirements.map(({ id }) => id);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id}: is listed twice`);
  const unknown = titles
    .filter(({ id }) => !ids.includes(id))
    .map(({ id, file }) => `${id}: is not a known requirement, but ${file} names it`);
  return [...twice, ...requirements.flatMap((one) => faultsOfOne(one, tests)), ...new Set(unknown)];
}
