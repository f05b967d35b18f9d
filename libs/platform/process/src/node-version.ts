/**
 * The lowest versions of Node that hash numeric strings with a secret seed (CVE-2026-21717). In lower ones a crafted
 * body of two megabytes blocks `JSON.parse` for minutes. Every later major version has the seed from the start.
 */
export const NODE_FLOORS = ['20.20.2', '22.22.2', '24.14.1', '25.8.2'] as const;

const numbersOf = (version: string): readonly number[] =>
  /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) ?? [];

function isAtLeast(version: readonly number[], floor: readonly number[]): boolean {
  const at = floor.findIndex((part, index) => part !== version[index]);
  return at === -1 || (version[at] ?? -1) > (floor[at] ?? 0);
}

/**
 * May this version of Node (`process.version`) run a service? It must be at least the minimum of its major version, or
 * have a later one.
 */
export function isSafeNode(version: string): boolean {
  const given = numbersOf(version);
  const [major = 0] = given;
  const floors = NODE_FLOORS.map(numbersOf);
  const own = floors.find(([floorMajor]) => floorMajor === major);
  if (own) return isAtLeast(given, own);
  return major > Math.max(...floors.map(([floorMajor = 0]) => floorMajor));
}
